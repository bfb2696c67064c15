# truth: {"cause": "growing-cache", "ends": 1, "serving": true, "record": ["--gpu-limit", "2GiB"], "held": "known|Search", "public": ["sentence-transformers==6.0.1", "transformers==5.17.0"]}
# A search service embeds queries with sentence-transformers, token by token for late interaction, and remembers every query's.
import pathlib
import random
import tempfile

import torch
from sentence_transformers import SentenceTransformer, models
from transformers import BertConfig, BertModel, BertTokenizer

random.seed(0)
torch.manual_seed(0)
WORDS = ["".join(random.choices("aeioulnrstdm", k=6)) for _ in range(4000)]


def build(folder):
    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *sorted(set(WORDS))]
    (folder / "vocab.txt").write_text("\n".join(vocabulary))
    BertTokenizer(str(folder / "vocab.txt")).save_pretrained(folder)
    config = BertConfig(vocab_size=len(vocabulary), hidden_size=768, num_hidden_layers=2, num_attention_heads=12, intermediate_size=1024)
    BertModel(config).save_pretrained(folder)
    layer = models.Transformer(str(folder), max_seq_length=256)
    return SentenceTransformer(modules=[layer, models.Pooling(768)], device="cuda")


class Search:
    def __init__(self, model):
        self.model, self.known = model, {}

    def tokens_of(self, queries):
        new = [query for query in queries if query not in self.known]
        vectors = self.model.encode(new, output_value="token_embeddings", batch_size=32, show_progress_bar=False)
        self.known.update(zip(new, vectors))
        return [self.known[query] for query in queries]


with tempfile.TemporaryDirectory() as folder:
    search = Search(build(pathlib.Path(folder)))
for number in range(400):
    search.tokens_of([" ".join(random.choices(WORDS, k=240)) for _ in range(32)])
    if number % 10 == 0:
        print("request", number, flush=True)
