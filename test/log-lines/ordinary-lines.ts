/**
 * Lines of builds, downloads, settings, data sets and tracebacks that have the words of a training
 * or of trouble in them, and mean neither.
 */
export const ORDINARY: readonly string[] = `
Step 1/12 : FROM ubuntu:20.04
Step 3: install dependencies
step 1: download the data to 5 machines
Epoch       : 1
Epoch: 1700000000
Downloading model.bin:  45%|████▌     | 450M/1.00G [00:10<00:12, 45.0MB/s]
Loading checkpoint shards:  50%|█████     | 1/2 [00:01<00:01,  1.1s/it]
Map:  45%|████▌     | 4500/10000 [00:10<00:12, 450.00 examples/s]
Validation DataLoader 0:  45%|████▌     | 45/100 [00:10<00:12,  4.5it/s]
Sanity Checking DataLoader 0: 100%|██████████| 2/2 [00:00<00:00, 10.5it/s]
Capturing CUDA graph shapes: 100%|██████████| 35/35 [00:20<00:00,  1.70it/s]
   ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━ 12.3/45.6 MB 5.2 MB/s eta 0:00:07
[120/938] Building CXX object foo.cc.o
[ 45%] Building CXX object foo.cc.o
 45% [=====>   ] 1,234,567  4.5MB/s
#8 [ 3/12] RUN apt-get update
Get:12 http://deb.debian.org/debian bookworm/main amd64 memory 1.0 [12 kB]
Loading batch 3 of emails
Processed batch 3
sending batch 12 to queue
next step: 3 retries left
see step 4 of the guide
Step 2/7: Running tests
Step 2/7: copying 12 files
Step 2/5 : EXPOSE 8080
step 3/7 - run 4 tests
batch 2/9 sent to 3 workers
step 5 of 7: compile
The iteration 5 of the design was rejected
criterion 5 was met
Using 8 steps per epoch
num_epochs: 10
epochs: 10
max_steps: 1000
batch_size: 64
steps: 500
total_steps = 1000
warmup_steps=100
***** Running training *****
  Num Epochs = 3
  Total optimization steps = 500
  Instantaneous batch size per device = 8
gradient_accumulation_steps: 4
loss: 0.5
Killed 3 zombies in the game
    raise MemoryError("x")
except MemoryError:
Fixed several out of memory errors
allocated 3 buffers
kill 1234
memory usage: 512 MB
Allocator (GPU_0_bfc) ran out of memory trying to allocate 1.00GiB. The caller indicates that this is not a failure, but this may mean that there could be performance gains if more memory were available.
GET /step/3 200
/data/epoch_3/step_100.ckpt saved
Saving model checkpoint to out/checkpoint-500
{"step": 3, "name": "pull image", "status": "ok"}
{"level":"info","msg":"iteration done"}
{'name': 'x', 'steps': 3}
Iterations: 5.00 per second
1/1 [==============================] - 0s 12ms/step
iter_time: 0.5
ITERATIONS=5 make bench
best_epoch=3
    for step, batch in enumerate(loader):
for epoch in range(10):
Step Functions 3
step-ca 1.2.3
batch job 42 submitted
Submitted batch job 4242
Iteration: 3.5 ms
`
  .split('\n')
  .filter((line) => line !== '');
