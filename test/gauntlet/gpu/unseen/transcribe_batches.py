# truth: {"cause": "activations", "ends": 1, "serving": true, "record": ["--gpu-limit", "3GiB"], "public": ["transformers==5.17.0"]}
# Whisper's encoder with plain attention: batches of 4 recordings go well, a backlog of 64 at once does not.
import torch
from transformers import WhisperConfig, WhisperForConditionalGeneration

torch.manual_seed(0)
config = WhisperConfig(
    d_model=512, encoder_layers=6, decoder_layers=6, encoder_attention_heads=8, decoder_attention_heads=8,
    encoder_ffn_dim=2048, decoder_ffn_dim=2048, attn_implementation="eager",
)  # fmt: skip
model = WhisperForConditionalGeneration(config).eval().to("cuda")
start = torch.tensor([[config.decoder_start_token_id]], device="cuda")
for recordings in (4, 4, 2, 4, 3, 4, 64):
    features = torch.randn(recordings, 80, 3000, device="cuda")
    with torch.inference_mode():
        scores = model(input_features=features, decoder_input_ids=start.repeat(recordings, 1)).logits
    print(recordings, "recordings:", scores.argmax(-1).flatten()[:4].tolist(), flush=True)
