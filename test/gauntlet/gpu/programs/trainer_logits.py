# truth: {"cause": "logits", "ends": 1, "record": ["--gpu-limit", "4GiB"], "public": ["transformers==5.17.0", "accelerate==1.15.0"]}
# A small Llama with a vocabulary of 128 thousand, trained in bf16 by Trainer: the scores of one batch are the largest thing there is.
import tempfile

import torch
from transformers import LlamaConfig, LlamaForCausalLM, Trainer, TrainingArguments

torch.manual_seed(0)
config = LlamaConfig(
    vocab_size=128_256, hidden_size=256, intermediate_size=1024, num_hidden_layers=4, num_attention_heads=4,
    num_key_value_heads=4, tie_word_embeddings=True,
)  # fmt: skip
texts = [torch.randint(0, config.vocab_size, (512,)) for _ in range(256)]
with tempfile.TemporaryDirectory() as folder:
    trainer = Trainer(
        model=LlamaForCausalLM(config),
        args=TrainingArguments(
            folder, per_device_train_batch_size=8, max_steps=10, bf16=True, logging_steps=1, save_strategy="no",
            report_to="none", disable_tqdm=True,
        ),
        train_dataset=[{"input_ids": text, "labels": text} for text in texts],
    )  # fmt: skip
    trainer.train()
