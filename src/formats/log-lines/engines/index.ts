import type { EngineLines } from './engine.ts';
import { exampleEngine } from './example-engine.ts';
import { llamaCpp } from './llama-cpp.ts';
import { ollama } from './ollama.ts';
import { sglang } from './sglang.ts';
import { vllm } from './vllm.ts';

/** Engines whose lines are known; another one is a file and a line here. */
export const ENGINES: readonly EngineLines[] = [vllm, llamaCpp, ollama, sglang, exampleEngine];
