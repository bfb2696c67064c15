/** Python that takes our own copy of the agent, answers one question and leaves no name behind; once, however often it is run. */
export function scriptOf(folder: string, what: string, options: object, reply: string): string {
  const told = JSON.stringify([folder, what, options, reply]);
  // The program may read files in an encoding of its own.
  const escaped = (letter: string) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`;
  const text = JSON.stringify(told.replace(/[^ -~]/g, escaped));
  // It may be run in the midst of anything, an import too: all is done in a thread of its own, which can wait.
  return `def _highwater(by):
    def work():
        import json, os, sys, types
        from importlib import import_module
        folder, what, options, reply = json.loads(${text})
        try:
            os.close(os.open(reply + ".begun", os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        except OSError:
            return  # it is being answered, or nobody waits any more
        try:
            if sys.version_info < (3, 8):
                raise RuntimeError("its Python is %d.%d, and the agent needs 3.8 or newer" % sys.version_info[:2])
            ours = sys.modules.get("_highwater")
            if ours is None or list(ours.__path__) != [folder]:
                if "_highwater._agent" in sys.modules:
                    raise RuntimeError("the agent of another Highwater is in it")
                for name in list(sys.modules):
                    if name.split(".")[0] == "_highwater":
                        del sys.modules[name]
                ours = types.ModuleType("_highwater")
                ours.__path__ = [folder]
                sys.modules["_highwater"] = ours
            answer = {"value": import_module("_highwater._answers").answer_to(what, options)}
        except BaseException as error:
            answer = {"error": "%s: %s" % (type(error).__name__, error)}
        answer["by"] = by
        with open(reply + ".tmp", "w") as out:
            json.dump(answer, out)
        os.rename(reply + ".tmp", reply)
    if by == "gdb":
        work()
    else:
        import _thread
        _thread.start_new_thread(work, ())
_highwater("gdb" if "_highwater_by_gdb" in globals() else "sys.remote_exec")
del _highwater
`;
}

/**
 * What runs that script in a thread that gdb has started. It raises nothing, as nobody is there to catch it, leaves no name in the
 * program's main module and no file open; it is short, as room is scarce.
 */
export function lineFor(script: string): string {
  const own = `with open(${JSON.stringify(script)}) as f: exec(f.read(), {"_highwater_by_gdb": 1})`;
  return `try: exec(${JSON.stringify(own)}, {})\nexcept BaseException: pass\n`;
}
