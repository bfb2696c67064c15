# truth: {"cause": "optimizer-state", "ends": 1, "record": ["--gpu-limit", "2300MiB"], "public": ["transformers==5.17.0", "accelerate==1.15.0"]}
# GPT-2 of 190 million parameters in float32, trained by Trainer with AdamW on short texts: its state does not fit beside the model.
import tempfile

import torch
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainingArguments

torch.manual_seed(0)
config = GPT2Config(vocab_size=16_000, n_embd=1024, n_layer=14, n_head=16)
texts = [torch.randint(0, config.vocab_size, (64,)) for _ in range(40)]
with tempfile.TemporaryDirectory() as folder:
    arguments = TrainingArguments(
        folder, per_device_train_batch_size=1, max_steps=20, optim="adamw_torch", logging_steps=1, save_strategy="no",
        report_to="none", disable_tqdm=True,
    )  # fmt: skip
    data = [{"input_ids": text, "labels": text} for text in texts]
    Trainer(model=GPT2LMHeadModel(config), args=arguments, train_dataset=data).train()
