/**
 * Words that names of code are made of everywhere: those that many files of Python's own library, of PyTorch and of
 * numpy share, and those of training, serving and measuring. They tell nothing of anybody, and a stack of
 * `train_step` and `load_batch` can still be read.
 */
export const ORDINARY_WORDS: ReadonlySet<string> = new Set(
  `
adam lamb lars cpython pid rss taken outside kept counted measured tried capacity including but unallocated setting avoid builtin mappingproxy getset nonetype tracker alloc arraylike overflowed entries max min highwater owner counter
abc abort above abs absolute abspath abstract abstractmethod acc accelerate accelerator accept accepted access accum accumulate
accumulated accumulation accumulator acos acosh acquire act action activation activations active actual adabelief adadelta
adafactor adagrad adamw adapter adaptive add addcdiv addcmul added additional addmm addr address addrs adjust adjusted affine
after agent aggregate ai albert alexnet algorithm algorithms alias aliased aliases aliasing align aligned alignment alive all
allclose allgather alloc allocate allocated allocation allocator allocs allow allowed allreduce along alpha already always amax
amin aminmax amount amp an analyses analysis analyze analyzer anchor and angle annotate annotation annotations anon anonymous any
anything aot aoti api app append apply apps arange arch archive are arena arenas arg argcount argdefs argmax argmin argparse args
argsort argument arguments argv argval arr array arraybuffer arrays arrival article artifact artifacts as asanyarray asarray ascii
asdict asin asinh assert assertion asserts assets assign assigned assignment assistant assume ast astype async at atan atanh aten
atexit atleast atol atom atomic atoms attach attempt attention attn attr attribute attributes attrs auc audio audit aug augment
augmentations auto autocast autoencoder autograd autotune autotuner autotuning aux available average avg avgs await awaiting axes
axis babel back backed backend backends backing backward bad baddbmm bag bandwidth barrier bart base based baseline basename bases
bash basic basis batch batched batcher batches batchnorm bce beam before begin below bench benchmark benchmarker bernoulli bert
best beta bf bfloat bias biases bidirectional bigint bigram bilinear bin binary binascii bind binding bindings bins bisect bit
bits bitwise blas bleu blk blob bloblike blobs block blocked blocking blocks blocksize bloom bmm bn body bool boolean bootstrap
bos bot both bottleneck bound boundaries boundary bounded boundfunction bounds box boxed bpe bpf branch break breaks broadcast
broadcasted broken browser bs bsc bsr bucket bucketize buckets buf buffer buffered buffering buffers bufs bufsize bug build
builder built builtin builtins bundle bundled bwd by bypass byte bytearray bytecode byteorder bytes cache cached caches caching
calc calculate call callable callback callbacks called caller calls can cancel cancelled candidate candidates canonicalize canvas
capability capture captured capturing case cast casting cat catch category causal cause cdata cdf cdll cdouble ce ceil cell cells
center cer cexpr cfg cflags cgroup chain change changed channel channels char character charmap chars charset chart chat check
checked checker checking checkpoint checkpointing checkpoints checks child children chmod choice choices cholesky choose chr chunk
chunked chunks churn city cjs clamp class classes classification classifier classmethod clean cleanup clear cli client clip clm
clock clone cloned close closed closing closure closures cls clusters cmd cmp cnn cnt coalesce coalesced coco code codec codecs
codegen codes coeff coerce col cold coll collapse collate collator collect collected collection collections collective collectives
collector collision color colored cols column combine combined comm comma command commands comment comments commit common comms
communicate comp compact compaction compare comparison compat compatibility compatible compilation compile compiled compiler
compilers compiling complete completed complex complexfloating component components composite compress compressed compression
computation compute computed concat concatenate concentration concrete concurrent cond conda condition conditional conf config
configs configure conj conjugate conn connect connected connection console const constant constants constexpr constrain constraint
constraints construct constructor consts consume consumed consumer cont container contains content contents context contextlib
contextmanager contexts contiguous continue contrast contrastive control conv conversion convert converted converter convolution
coo coord coordinate copies copy copyreg copysign core corners coro coroutine corpus correct correction cos cosh cosine cost count
counter counters counts cov covariant coverage cp cpp cpu crash create created creation crop cross crow csc cse csr csv cts ctx
ctype ctypes cublas cuda cudagraph cudagraphs cudnn cumprod cumsum cumulative cur curdir curr current currentframe custom customer
customize customized cut cute cutedsl cutlass cwd cxx cycle daemon daily dashboard data database dataclass dataclasses dataframe
dataloader datapipe dataset datasets dataview date datetime day db dcgan ddp dead deallocation debug debugging dec decay decide
decimal decision decl decode decoder decoders decoding decomp decompose decomposed decomposition decompositions decompress
decorator decrement dedent deepcopy deepspeed def default defaultdict defaults deferred define defined definition deflate defs deg
del delattr delay delegate delete deleted delitem delta demo deno denom denominator dense densenet densities dep dependencies
dependent depends deploy deprecated deprecation deps depth dequant dequantize deque deregister derived desc descending descr
description descriptor descriptors descs deserialize desired dest destination destroy det detach detached detail detailed details
dete detect detection detector determine deterministic detr dev developer device devices devnull diag diagonal dice dict
dictionary dicts diff difference different differentiable diffuser diffusers diffusion digamma digest digits dilation dim
dimension dimensions dims dir directory dirname dirs dis disable disabled disallow disc discard discrete discriminator disk
dispatch dispatcher display dist distance distil distill distillation distribute distributed distribution distutils div divide
division divisions divisor divmod dll dlpack do doc docs docstr docstring document documents dom domain done dont doprint dot
dotall double down download downsample dp draft draw driver drop dropout dry dsl dst dtensor dtype dtypes dual dummy dump dumps
dup duplicate duplicates duration during dx dy dyn dynamic dynamo eager early edge edges edition effect effectful effective
effects efficient effnet eigvals einsum elapsed elem element elements elementwise elems eliminate ellipsis elu ema email emb embed
embedder embedding embeddings emit emitter empty enable enabled enc encode encoded encoder encoders encoding end endless
endpoint endswith engine ensemble ensure enter entity entries entropy entry enum enumerate env environ environment eof eos ep
epilogue episode episodes epoch epochs eps equal equality equals erase erased erf erfc erfinv err errmsg errno error errors escape
estimate estimated estimator etc eval evaluate evaluation evaluator event events eventtarget evict eviction evt exact example
examples exc except exception exceptions exchange exclude exclusive exe exec executable executables execute execution executor
exist existing exists exit exitcode exited exp expand expandable expanded expandtabs expanduser expect expected experiment
experimental experiments expert experts expired explanation explicit explorer expm exponent exponential export exported exporter
exporting exposed expr expression exprs ext extend extended extension extensions extern external extra extract extras eye factor
factors factory fail failed failure failures fake fallback false family fast fatal fbcode fc fcompiler fd fdopen fds feat feature
features feed feedforward fetch ffn fft fget fid field fields file filename filenames fileno fileobj filepath files fill filter
filtered filters filterwarnings final finalization finalize finalized finalizer find findall finder finditer finetune finetuning
finfo finish finished finite first firstlineno fit fix fixed flag flags flamegraph flash flat flatten flattened fleet flex
flexible flip float floating floor floordiv flops flow flush fma fmod fmt fn fname fnmatch fns fnuz fold folded folder folding
font for force foreach foreign fork forkserver form format formats formatted formatter fortran forward found fp fqn fqns frac
fraction fragment fragmentation frame frames free freed freelist frees freevars freeze freezing freq fresh frexp from frombuffer
fromkeys frontend frozen frozenset fsdecode fsdp fsencode fspath fstat full fullgraph fullmatch fullname fully fun func funcname
funcs function functional functionalization functionalize functionalized functions functools functorch fuse fused fuser fusion
fusions fut future futures fwd fx gamma gan garbage gather gathered gauge gb gc gcc gcd gelu gemm gen general generate generated
generation generator generators generic get getattr getattribute getcodec getcwd getenv getfile getfqdn getframe gethostname
getitem getline getopt getpid getregentry getsockname getsource getstate gettempdir getter getvalue gib glibc glob global globals
globalthis glu gn go gone gpt gpu gpus gqa grad gradient gradients grads grandparent graph graphs graphsafe greater green grid
grok group groupdict grouped groups grow growing grows growth gru guard guarded guards guess gui half handle handler handlers
handles hardsigmoid hardswish hardtanh has hasattr hash hashable hashlib have hdf head header headers heads health heap heappop
heappush heapq heaps height held help helper helpers heuristic heuristics hex hexdigest hf hidden hide high higher highest
highwater hint hints hip histogram history hit hold holder holds home hook hooks hop horizontal host hostname hosts hour hourly
hours hstack html http https huge hwm hyper hypot hz iadd icdf id ident identifier identity idle ids idx idxs if iframe ignore
ignorecase ignored iinfo imag image imagenet images img immutable imp impl implementation implemented implicit impls import
importer importlib imports impure imul in inactive inbuilt inc inception include included includes increase increment incremental
incrementaldecoder incrementalencoder ind indent indented independent index indexes indexing indices indirect inductor inexact inf
infer inference infinite infinity info infos ingest init initial initialize initialized initializer inline inlined inner inode inp
inplace inps input inputs insert inserting inside inspect inst install installed instance instancecheck instances instruct
instruction instructions int integer integral interface interleave intermediate intermediates internal interp interpolate
interpreter interrupt intersection interval intl into intp intrinsic ints inv invalid invalidate inverse invert invoke io ior iou
ipykernel ipython is isabs isclass isclose isdigit isdir isdisjoint isfile isfinite isfunction isidentifier isinf isinstance
islice islink ismethod ismodule isnan iso isscalar issubclass issubdtype issubset istype it item itemgetter items itemsize iter
iterable iterate iteration iterations iterator iters itertools itr java javascript jax jemalloc jit job jobs join joint jpeg jpg
json jsx judge jupyter justknobs jvp kb keep keepdim keepdims keepends keras kernel kernels key keyboard keys keyword keywords kib
kill killed kind kl klass known kv kwarg kwargs kwds label labels lambda lang language large largest last latency launch launcher
layer layers layout layouts lazy ldexp leading leaf leak leaked leaking leaks leaky learn learner learning leaves left leftover
legacy len length lengths lens leq lerp less level lgamma lhs lib libc libname libraries library libs lift lifted lightning like
limit limits linalg line linear linecache lineno lines linesep link linker linspace lint lion list listdir listen lists literal
live ljust llama llm ln load loaded loader loaders loads loc local locale locals localtime location locations lock log logger
logging logic logical logits logs logsumexp long longest longformer lookup loop loops lora loss losses low lower lowering
lowerings lr lru lshift lst lstm lstrip mac machine machinery macro macros mae magic main mainloop major make makedirs makefile
malloc mallopt mamba managed manager mangled manual map mapped mapping mappings maps margin mark marked marker marks mask masked
masking masks master mat match matched matcher matches matching materialize math matmul matrix max maximize maximum maxlen maxsize
maxsplit may maybe mb mbc mean median mem member members memo memories memory memoryview memprof merge merged mesh message meta
metaclass metadata metas metavar meth method methods metric metrics mgr mha mib micro microbatch microtask mid mime min mini
minibatch minimum minor minute minutes mirror misc mish mismatch miss missing mix mixed mixer mixin mixture mjs mkdir mkdtemp
mkldnn mkpath mkstemp ml mlp mmap mnist mobilenet mock mod mode model models modes modified modname mods modular module modules
moe moment moments momentum monitor monotonic month months more move moveaxis movedim moving mpirun mps mqa mro ms mse msg msgs
msvc mtia mtime mts mul multi multiarray multibyte multibytecodec multihead multiline multimodal multinomial multipart multiple
multiplier multiply multiprocessing muon must mutable mutate mutated mutates mutating mutation mutations name named namedtuple
names namespace namespaces nan nanoseconds nargs narrow native natural navigator nb nbytes nccl ndarray ndim ndims ndmin nearest
need needed needs neg negative nemo nested nesting net nets network networks neural neuron never new newaxis newer newline next
nextafter nightly nll nlp nn nni nnq no node nodes noise non none nonnegative nonvar nonzero noop nop norm normal normalise
normalization normalize normalized normalizer normcase normpath not note notebook notify now nowait npm npx npy npz ns null
nullcontext num number numbers numel numels numerator numeric numerictypes numpy nvidia nvml obj object objects objs oblivious obs
observable observation observed observer of off offline offload offset offsets ok old on once one ones only onnx oom op opaque
opcode open operands operation operations operator operators opname ops opset opt optim optimise optimiser optimisers optimization
optimize optimized optimizer optimizers option optional options opts or ord order ordered ordering org orig origin original
origins os other out outer outfile outliers output outputs outs over overflow overlap overlapping overload overloadpacket
overloads override overrides overwrite own owned owner owning pack package packages packed packet pad padded padding page paged
pages pair pairs pairwise paper paragraph parallel param parameter parameters parametrizations params pardir parent parents
parquet parse parsed parser part partial partition partitioner partitions partly parts pass passes pat patch patched patches path
pathlib pathname paths pathsep pattern patterns payload peak peaks peek peer peft pending per perceptron perf perl perm
permutation permute permuted perplexity persistent phase phases philox physical pic pick pickle pickled pickler pickling pid pin
pinned pip pipe pipeline pipelines pipx pixel pkg place placeholder placeholders placement placements plain plan planner plans
plat platform playground plus png point pointer points pointwise poisson policies policy poll poly polyfills polynomial pool
pooler pooling pools pop popen popitem popleft populate port pos position positional positions positive posix possible post
postargs postprocess pow power pp ppl ppo pprint pre prec precision precompile precomputed precondition pred predicate predict
prediction predictions predictor prefer prefetch prefill prefix prefixes prelu prepack prepare prepend preprocess preprocessing
preprocessor preserve preserved pretrain pretrained pretraining pretty prev previous prim primals primitive prims print printed
printer prior priority private privateuse prob problem probs proc process processed processes processing processor prod produce
producer product production prof profile profiler profilers profiling prog program progress proj projection projects prologue
promise promote promotion prompt prompts prop propagate propagation propagator properties property props proto protocol protocols
prototype provenance proxies proxy prune pruned pseudo psnr pss pt pthread ptr public pull pure push put pwd py pypy pytest python
pytorch pytree qat qconfig qconv qint qk qkv qlinear qparams qscheme qualified qualname quant quantizable quantization quantize
quantized queries query queue quick quint quit quote race radd raise rand randint randn random randperm range ranges rank ranks
rate ratio ravel raw ray rcond rdzv re reachable react read readable reader reading readinto readline readlines reads ready real
realize realized realpath reason reasons rebuild recall received reciprocal reclaim recompile recompute reconstruct record
recorded recorder recordings records recurrent recurse recursion recursive recv red redirect redispatch redistribute reduce
reduced reducer reduction reductions reenter ref reference refers refine reflect refs regex regexp region regions register
registered registration registry regression regressor regular reinforcement reinit reinterpret rel relative relaxed release reload
relpath relu rem remain remainder remaining remap remote removable remove removed removeprefix rename render rendezvous reorder
rep repeat repeated repeats repl replace replaced replacement replacements replay replicate replication repo report reports repr
req request requested requests require required requires res research reserved reset reshape reshaped reshard resident residual
resize resnet resnext resolve resolved resource resources response rest restart restore result results resume ret retain retained
retention retrieve retriever retry return returncode returns retval reuse reverse reversed reward rewards rewrite rfind rfloordiv
rhs right rlhf rmsprop rmtree rmul rng rnn ro roberta rocm roles roll rollout rollouts root roots rope rot rouge round rounding
roundup route router row rows rpartition rpath rpc rprop rrelu rsample rshift rsplit rsqrt rss rstrip rsub rtol rtruediv rule
rules run rung runner running runs runtime runtimes rust rw rx safe same sample sampler samples sampling sandbox sanitize
save saved scalar scalars scale scaled scales scaling scan scatter schedule scheduler schedulers scheduling schema schemas scheme
scope score scorer scores scratch screen script scripted scripting scripts sdk sdpa search searchsorted sec second seconds section
sections seed seeded seek seekable seen segment segments select selected selector selectors self semaphore send sendall sendfile
sentence sentences sentiment sentinel sep separator seq sequence sequences sequential serializable serialization serialize
serialized serializer serve server service serving session set setattr setdefault setitem sets setstate setter settimeout settings
settle setup sfdp sft sgd sha shape shapes shard sharded sharding shards share shared sheet shell shells shift shim shlex shm
shmem short shorten should show shuffle shutdown shutil side sig sigmoid sign signal signals signature signatures signbit signed
silu simd simple simplefilter simplified simplify sin single singleton sinh sink size sized sizeof sizes sizevars skip skipped
slab slabs sleep slice slices slope slot slots slow slurm small smoke snapshot snapshots so sock socket sockets soft softmax
softplus solve solver soon sort sorted sorter source sourceless sources sp space span sparse sparsifier sparsity spatial spawn
spec special specialize specialized specs spectrogram speech speed spilled splice split splitdrive splitext splitlines splits sqrt
square squeeze src srun ssh ssim ssl stable stack stacked stacklevel stacks stacktrace stage stages standalone standard star start
started starts startswith stat state stateless statement states static statically staticmethod stats status std stderr stdin
stdlib stdout step steps stmt stop stopped storage storages store str strategies strategy stream streamreader streams streamwriter
strerror strftime strict stride strided strides string stringify strings strip stripped strs struct structure structured stub
style stylesheet sub subclass subclasses subdir subgraph subgraphs submit submod submodule submodules subok subprocess subs
subscriber subset substitute subtract subtype success sudo suffix suffixes suggest suite sum summary sup super support supportable
supported supports suppress survivor svd swap swapped swin switch swizzle sym symbol symbolic symbols symint symints symmetric
symnode sympify sympy sync synchronize syntax sys sysconfig system tab table tables tabulate tag tags tail take taken tan tangent
tangents tanh target targets task tasks tau tcmalloc tcp teacher tell temp tempfile template templates temporal temporarily
temporary tensor tensorboard tensorflow tensors term terminate terms test tester testing tests text texts textwrap tf tgt than
that the then this thread threading threads threshold through throughput throw tick ticks tid tile tiling time timed timedelta
timeout timer times timestamp timing timings tiny title tls tma tmp to tobytes todo tok token tokenize tokenized tokenizer
tokenizers tokens tol tolist too top topk toplevel topological torch torchbind torchdynamo torchrun torchscript total toy tp tqdm
trace traceable traceback traced tracer traces tracing track tracked tracker tracking trailing train trainable trainer trainers
training trainings trainloader trans transfer transform transformed transformer transformers transforms transition translate
translation translator transport transpose transposed traversal traverse tree trees treespec trial trials triangular tril trim
trimmed triple triton triu true truediv trunc truncate trunk try tunable tune tuned tuner tuning tup tuple tuples two tx typ type
typed typename types typescript typing ufunc ui uid uint ulimit umath unaccounted uname unary unbacked unbind undef undefined
under unet unexpected unflatten unfold unicode uniform unimplemented uninitialized union unique unit unittest universal unix
unknown unlink unmapped unpack unpacked unpickler unpinned unquote unregister unsafe unset unshard unsharded unspec unspecialized
unsqueeze unsupported until untyped unused unwrap unwrapped up upcast update updated upload upper upsample upsampling uri url
urllib urlparse us usage use used user users uses using usr utf util utils uuid uvx vae val valid validate validation validator
valloader vals value values vander var varargs variable variables variadic variance variant varname varnames vars vec vector ver
verbose verbosity verify version versions vgg vid video videos view viewer views violation visible vision visit visited vit vllm
vmap vmrss vms vocab vocabulary voice void vue wait waiter wakeup walk wandb warm warmup warn warning warnings warp warps was wasm
wav wave wavelet wd we weak weakmap weakref weakset webassembly webgl webgpu websocket week weekly weight weighted weights wer
what when whence where which while whisper whitespace whole why width win window windows wise with within without wk wo word words
work worker workers workload workloads workspace world wq wrap wrapped wrapper wrappers wrapping wraps writable write writeline
writelines writer writes written wv xla xlnet xml xor xpu xs xx yaml year yolo ys yy zero zeros zip zipfile zoo zs zsh zygote
`
    .trim()
    .split(/\s+/),
);
