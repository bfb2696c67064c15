# truth: {"cause": "activations", "ends": 1, "record": ["--gpu-limit", "4GiB"], "public": ["gpytorch==1.15.2", "linear_operator==0.6.1"]}
# gpytorch's exact Gaussian process: its matrix has a row and a column for each point, and the points become more.
import gpytorch
import torch


class Process(gpytorch.models.ExactGP):
    def __init__(self, x, y, likelihood):
        super().__init__(x, y, likelihood)
        self.mean_module = gpytorch.means.ConstantMean()
        self.covar_module = gpytorch.kernels.ScaleKernel(gpytorch.kernels.RBFKernel())

    def forward(self, x):
        return gpytorch.distributions.MultivariateNormal(self.mean_module(x), self.covar_module(x))


torch.manual_seed(0)
for points in (1000, 2000, 4000, 24_000):
    x = torch.rand(points, 4, device="cuda")
    y = torch.sin(6 * x.sum(1))
    likelihood = gpytorch.likelihoods.GaussianLikelihood().to("cuda")
    model = Process(x, y, likelihood).to("cuda")
    model.train()
    likelihood.train()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
    marginal = gpytorch.mlls.ExactMarginalLogLikelihood(likelihood, model)
    for step in range(5):
        optimizer.zero_grad()
        loss = -marginal(model(x), y)
        loss.backward()
        optimizer.step()
    print(f"{points} points: loss {loss.item():.3f}", flush=True)
