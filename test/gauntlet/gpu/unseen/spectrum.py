# truth: {"cause": "workspaces", "ends": 1, "record": ["--gpu-limit", "2GiB"]}
# The eigenvalues of ever larger covariances: the matrices fit, and cuSOLVER's workspace is twice as large as they are.
import torch

torch.manual_seed(0)
for size in (1024, 2048, 4096, 11_264):
    sample = torch.randn(size, 64, device="cuda")
    covariance = sample @ sample.T
    covariance.diagonal().add_(1)
    del sample
    values, _ = torch.linalg.eigh(covariance, UPLO="U")
    print(size, values[-1].item(), flush=True)
    del covariance, values
    torch.cuda.empty_cache()
