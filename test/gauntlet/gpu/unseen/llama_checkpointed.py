# truth: {"cause": "no-problem-seen", "public": ["transformers==5.17.0", "accelerate==1.15.0"]}
# A Llama with gradient checkpointing in bf16 by Trainer: it fits and does not grow.
import tempfile

import torch
from transformers import LlamaConfig, LlamaForCausalLM, Trainer, TrainingArguments

torch.manual_seed(0)
config = LlamaConfig(
    vocab_size=8000, hidden_size=512, intermediate_size=2048, num_hidden_layers=8, num_attention_heads=8,
    num_key_value_heads=4,
)  # fmt: skip
texts = [torch.randint(0, config.vocab_size, (512,)) for _ in range(320)]
with tempfile.TemporaryDirectory() as folder:
    arguments = TrainingArguments(
        folder, per_device_train_batch_size=16, max_steps=60, bf16=True, gradient_checkpointing=True, logging_steps=10,
        save_strategy="no", report_to="none", disable_tqdm=True,
    )  # fmt: skip
    data = [{"input_ids": text, "labels": text} for text in texts]
    Trainer(model=LlamaForCausalLM(config), args=arguments, train_dataset=data).train()
