/** Packages that everybody can look up: what is inside of them tells nothing of who runs them. */
export const PUBLIC_PACKAGES: ReadonlySet<string> = words(`
_highwater absl accelerate aiohttp albumentations anndata anthropic apex argon2 arrow asyncpg attr attrs azure babel bitsandbytes
blinker bokeh boto3 botocore bs4 c10 cachetools caffe2 catboost causal_conv1d certifi cffi chardet charset_normalizer chex click
cloudpickle comet_ml contourpy coverage cryptography cuda cudf cugraph cuml cupy cv2 cycler cython dask datasets dateutil decord
deepspeed diffusers dill distributed django dns docker einops elasticsearch evaluate fairscale faiss fastai fastapi fastcore
filelock flash_attn flask flax fontTools fsspec functorch gensim gevent ggml gguf gin git google gradio greenlet grpc gunicorn gym
gymnasium h5py haystack highwater httpcore httpx huggingface_hub hydra idna ignite imageio importlib_metadata ipykernel IPython
ipywidgets isodate jax jaxlib jedi jinja2 Jinja2 joblib jsonschema jupyter jupyter_client jupyter_core jupyterlab kafka keras
kiwisolver kornia langchain librosa lightgbm lightning lightning_fabric lightning_utilities litellm llama_cpp llvmlite loguru lxml
mamba_ssm markdown markupsafe matplotlib megatron memory_profiler memray ml_collections ml_dtypes mlflow mmcv mmengine monai
mpi4py mpmath msgpack multidict multipart mxnet mypy mysql nbclient nbconvert nbformat neptune nest_asyncio networkx nltk notebook
numba numexpr numpy nvidia omegaconf onnx onnxruntime openai opentelemetry opt_einsum optax optree orbax orjson packaging paddle
pandas parso peft pexpect PIL pip pkg_resources platformdirs plotly pluggy polars prometheus_client protobuf psutil psycopg2
ptyprocess pyarrow pybind11 pycocotools pydantic pydantic_core pydantic_settings pygments pymongo pynvml pyparsing pyspark pytest
pytorch_lightning pytz pywt ray redis regex requests rich ruamel sacrebleu safetensors scipy scvi seaborn selenium
sentence_transformers sentencepiece sentry_sdk setuptools sglang shap simplejson six skimage sklearn sniffio socketio soundfile
soupsieve spacy sqlalchemy sqlparse starlette statsmodels streamlit sympy tabulate tblib tenacity tensorboard tensorboardX
tensordict tensorflow tensorstore termcolor textual thinc thop threadpoolctl tiktoken timm tokenizers toolz torch torch_geometric
torch_tensorrt torch_xla torchao torchaudio torchdata torchgen torchmetrics torchtext torchtune torchvision tornado tqdm traitlets
transformer_engine transformers triton trl typeguard typer typing_extensions tzdata tzlocal ujson ultralytics urllib3 uvicorn
uvloop vllm wandb watchdog watchfiles wcwidth webdataset websocket websockets werkzeug wheel wrapt xarray xformers xgboost xxhash
yaml yarl zmq zstandard
axios esbuild express fastify koa lodash next react rollup rxjs tfjs typescript vite webpack
`);

/** Modules of Python's own library. */
export const PYTHON_MODULES: ReadonlySet<string> = words(`
abc aifc antigravity argparse array ast asynchat asyncio asyncore atexit audioop base64 bdb binascii bisect builtins bz2 calendar
cgi cgitb chunk cmath cmd code codecs codeop collections colorsys compileall concurrent configparser contextlib contextvars copy
copyreg cProfile crypt csv ctypes curses dataclasses datetime dbm decimal difflib dis distutils doctest email encodings ensurepip
enum errno faulthandler fcntl filecmp fileinput fnmatch fractions ftplib functools gc genericpath getopt getpass gettext glob
graphlib grp gzip hashlib heapq hmac html http idlelib imaplib imghdr imp importlib inspect io ipaddress itertools json keyword
lib2to3 linecache locale logging lzma mailbox mailcap marshal math mimetypes mmap modulefinder msilib msvcrt multiprocessing netrc
nis nntplib nt ntpath nturl2path numbers opcode operator optparse os ossaudiodev pathlib pdb pickle pickletools pipes pkgutil
platform plistlib poplib posix posixpath pprint profile pstats pty pwd py_compile pyclbr pydoc pydoc_data pyexpat queue quopri
random re readline reprlib resource rlcompleter runpy sched secrets select selectors shelve shlex shutil signal site smtpd smtplib
sndhdr socket socketserver spwd sqlite3 sre_compile sre_constants sre_parse ssl stat statistics string stringprep struct
subprocess sunau symtable sys sysconfig syslog tabnanny tarfile telnetlib tempfile termios textwrap this threading time timeit
tkinter token tokenize tomllib trace traceback tracemalloc tty turtle turtledemo types typing unicodedata unittest urllib uu uuid
venv warnings wave weakref webbrowser winreg winsound wsgiref xdrlib xml xmlrpc zipapp zipfile zipimport zlib zoneinfo
_collections_abc _pydecimal _pyio _strptime _threading_local _weakrefset
`);

function words(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/));
}
