# truth: {"cause": "activations", "ends": 1, "record": ["--gpu-limit", "6GiB"], "public": ["transformers==5.17.0", "accelerate==1.15.0"]}
# BERT is trained to classify by transformers' Trainer, in batches of 96 texts of 512 tokens.
import tempfile

import torch
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments

torch.manual_seed(0)
config = BertConfig(hidden_size=512, num_hidden_layers=8, num_attention_heads=8, intermediate_size=2048, num_labels=3)
texts = [
    {"input_ids": torch.randint(0, config.vocab_size, (512,)), "labels": torch.randint(0, 3, ())} for _ in range(960)
]
with tempfile.TemporaryDirectory() as folder:
    arguments = TrainingArguments(
        folder, per_device_train_batch_size=96, num_train_epochs=1, logging_steps=1, save_strategy="no",
        report_to="none", disable_tqdm=True,
    )  # fmt: skip
    Trainer(model=BertForSequenceClassification(config), args=arguments, train_dataset=texts).train()
