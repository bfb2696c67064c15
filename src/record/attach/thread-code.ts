/**
 * Machine code for x86-64 that one of a program's threads runs in passing. It needs nobody beside it: if gdb dies the moment
 * after the thread was sent here, the thread still does its bit and goes back to where it was, with all its registers.
 *
 * Entered at its third byte, or, where the kernel begins an interrupted system call again, two bytes earlier: it
 * then goes back to that call. In between: pthread_create(&handle, NULL, thread, table).
 */
const PASSING = `
  eb09                 jmp again
  488d642480 6a00      lea rsp, [rsp-128]; push 0       beyond the red zone
  eb07                 jmp begin
  488d642480 6a01      again: lea rsp, [rsp-128]; push 1
  51 9c 50 52 53 55    begin: push rcx; pushfq; push rax, rdx, rbx, rbp
  56 57 4150 4151      push rsi, rdi, r8, r9
  4152 4153 fc         push r10, r11; cld
  4889e5               mov rbp, rsp
  4881ec00100000       sub rsp, 4096
  4883e4c0             and rsp, -64
  488dbc2400020000     lea rdi, [rsp+512]
  31c0 b908000000      xor eax, eax; mov ecx, 8
  f348ab               rep stosq
  b8e7000000 31d2      mov eax, 0xe7; xor edx, edx
  480fae2424           xsave64 [rsp]
  488d1d92000000       lea rbx, [rip+table]
  4883ec40 4889e7      sub rsp, 64; mov rdi, rsp
  31f6 488d154c000000  xor esi, esi; lea rdx, [rip+thread]
  4889d9 ff13          mov rcx, rbx; call [rbx]
  4883c440             add rsp, 64
  b8e7000000 31d2      mov eax, 0xe7; xor edx, edx
  480fae2c24           xrstor64 [rsp]
  4889ec               mov rsp, rbp
  415b 415a 4159 4158  pop r11, r10, r9, r8
  5f 5e 5d 5b 5a 58    pop rdi, rsi, rbp, rbx, rdx, rax
  9d 488b4c2408        popfq; mov rcx, [rsp+8]
  e30f                 jrcxz onward
  59 488da42488000000  pop rcx; lea rsp, [rsp+136]
  ff2585000000         jmp [rip+table+64]
  59 488da42488000000  onward: pop rcx; lea rsp, [rsp+136]
  ff256e000000         jmp [rip+table+56]`;

/**
 * The new thread: pthread_detach(pthread_self()); if (!Py_IsInitialized()) return; state = PyGILState_Ensure();
 * PyRun_SimpleString(text); PyGILState_Release(state).
 */
const THREAD = `
  f30f1efa 53          endbr64; push rbx
  4889fb ff5308        mov rbx, rdi; call [rbx+8]
  4889c7 ff5310        mov rdi, rax; call [rbx+16]
  ff5318 85c0 7417     call [rbx+24]; test eax, eax; jz end
  ff5320 50            call [rbx+32]; push rax
  4883ec08             sub rsp, 8
  488d7b48 ff5328      lea rdi, [rbx+72]; call [rbx+40]
  4883c408 5f          add rsp, 8; pop rdi
  ff5330               call [rbx+48]
  31c0 5b c3           end: xor eax, eax; pop rbx; ret
  0f1f00               (to a multiple of eight)`;

/** The table's first entries, in this order; then where the thread was, and two bytes before that; then the text. */
export const FUNCTIONS = [
  'pthread_create',
  'pthread_self',
  'pthread_detach',
  'Py_IsInitialized',
  'PyGILState_Ensure',
  'PyRun_SimpleString',
  'PyGILState_Release',
];
/** Where a thread is sent to, from the beginning of the code. */
export const ENTRY = 2;
const SYSCALL_BYTES = 2;

const CODE = Buffer.from(
  `${PASSING}\n${THREAD}`
    .split('\n')
    .map((line) => line.trim().split(/ {2,}/)[0]!.replaceAll(' ', ''))
    .join(''),
  'hex',
);

export const lengthFor = (text: string): number =>
  CODE.length + 8 * (FUNCTIONS.length + 2) + Buffer.byteLength(text) + 1;

/** `functions`: their addresses; `from`: where the thread is that is sent there. */
export function threadCode(functions: readonly number[], from: number, text: string): Buffer {
  const table = Buffer.alloc(8 * (FUNCTIONS.length + 2));
  [...functions, from, from - SYSCALL_BYTES].forEach((address, i) => {
    table.writeBigUInt64LE(BigInt(address), 8 * i);
  });
  return Buffer.concat([CODE, table, Buffer.from(`${text}\0`)]);
}
