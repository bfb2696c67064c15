/** A registry that nobody holds is garbage itself. */
const registries: FinalizationRegistry<undefined>[] = [];

/**
 * Calls back soon after each major collection of V8, and costs nothing in between: minor ones keep what a
 * FinalizationRegistry watches, so that an object which nobody holds is found by the next major one. (An observer of
 * performance entries would wake for every minor one, too.)
 */
export function onMajorCollection(tell: () => void): void {
  const watch = () => registry.register({}, undefined);
  const registry = new FinalizationRegistry<undefined>(() => {
    try {
      tell();
      watch();
    } catch {}
  });
  registries.push(registry);
  watch();
}
