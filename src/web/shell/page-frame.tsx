import { Component, type ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Page, PageProps } from '../pages/page.ts';
import { ErrorBox, ProgressBar } from '../parts/waiting.tsx';

/** Loads a page when it is first opened; a page that fails says so instead of leaving nothing. */
export function PageFrame({ page, props }: { page: Page; props: PageProps }) {
  const [shown, setShown] = useState<{ Body: ComponentType<PageProps> } | null>(null);
  const [error, setError] = useState<string | null>(null);
  useEffect(() => {
    page.load().then(
      (module) => setShown({ Body: module.default }),
      (reason: Error) => setError(reason.message),
    );
  }, [page]);
  if (error) return <ErrorBox title={`${page.title} could not be loaded.`} text={error} />;
  if (!shown) return <ProgressBar label={`Loading ${page.title} …`} />;
  return (
    <main class={`page page-${page.id}`} aria-label={page.title}>
      <Fence title={page.title}>
        <shown.Body {...props} />
      </Fence>
    </main>
  );
}

class Fence extends Component<{ title: string }, { error: string | null }> {
  override state = { error: null };

  static override getDerivedStateFromError(error: Error) {
    return { error: error.message };
  }

  override render() {
    const { error } = this.state;
    if (error) return <ErrorBox title={`${this.props.title} failed.`} text={error} />;
    return this.props.children;
  }
}
