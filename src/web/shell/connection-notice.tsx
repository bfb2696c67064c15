import type { InputInfo } from '../../model/inputs-info.ts';
import { store } from '../store.ts';

/** Why nothing changes any more: the run has ended, or whoever served it has gone. Nothing on the page is wrong then. */
export function ConnectionNotice({ run }: { run: InputInfo | undefined }) {
  const state = store.connection.value;
  if (state === 'open') return null;
  const again = (
    <>
      <code>highwater view {run?.path.slice(-200) ?? ''}</code> opens it again.
    </>
  );
  return (
    <p class="notice" role="status">
      {state === 'finished' ? (
        <>
          <strong>Finished.</strong> This page has all of the recording, and keeps it until you
          close it. {again}
        </>
      ) : (
        <>
          <strong>Not connected.</strong> Highwater has ended or cannot be reached. What was looked
          at before is still here{run?.live ? ', as it was then' : ''}; the rest is not. {again}
        </>
      )}
    </p>
  );
}
