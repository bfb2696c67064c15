# truth: {"cause": "kept-tensors", "ends": 1, "record": ["--gpu-limit", "3GiB"], "held": "preds|tensors|EvalLoopContainer", "public": ["transformers==5.17.0", "accelerate==1.15.0"]}
# Trainer keeps every batch's scores on the card until the evaluation's end, as eval_accumulation_steps is not set.
import tempfile

import torch
from transformers import BertConfig, BertForMaskedLM, Trainer, TrainingArguments

torch.manual_seed(0)
config = BertConfig(hidden_size=256, num_hidden_layers=4, num_attention_heads=4, intermediate_size=1024)


def examples(number):
    texts = [torch.randint(0, config.vocab_size, (128,)) for _ in range(number)]
    return [{"input_ids": text, "labels": text} for text in texts]


def accuracy(result):
    return {"accuracy": float((result.predictions.argmax(-1) == result.label_ids).mean())}


with tempfile.TemporaryDirectory() as folder:
    trainer = Trainer(
        model=BertForMaskedLM(config),
        args=TrainingArguments(
            folder, per_device_train_batch_size=8, per_device_eval_batch_size=4, max_steps=20, logging_steps=5,
            save_strategy="no", report_to="none", disable_tqdm=True,
        ),
        train_dataset=examples(160),
        eval_dataset=examples(400),
        compute_metrics=accuracy,
    )  # fmt: skip
    trainer.train()
    print(trainer.evaluate(), flush=True)
