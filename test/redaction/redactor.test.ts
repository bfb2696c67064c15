import { describe, expect, it } from 'vitest';
import { Redactor, usersIn } from '../../src/base/redaction/index.ts';

const redactor = () => new Redactor(['annabel'], ['gpu7.cluster.example', 'gpu7']);

describe('what is taken out of texts', () => {
  it.each([
    ['/home/annabel/secret-project/train.py', '/home/user1/dir1/train.py'],
    ['/home/annabel/secret project/model/net.py', '/home/user1/dir1/dir2/net.py'],
    [
      '/home/annabel/.venv/lib/python3.11/site-packages/torch/nn/modules/linear.py',
      '/home/user1/dir1/lib/python3.11/site-packages/torch/nn/modules/linear.py',
    ],
    ['/usr/lib/python3.11/json/decoder.py', '/usr/lib/python3.11/json/decoder.py'],
    [
      'cannot open /data/acme/customers.parquet: gone',
      'cannot open /dir1/dir2/file1.parquet: gone',
    ],
    ['C:\\Users\\annabel\\x\\run.py', 'C:\\Users\\user1\\dir1\\run.py'],
    ['on gpu7.cluster.example, by Annabel', 'on host1, by user1'],
    ['gpu70 and annabelle stay', 'gpu70 and annabelle stay'],
    [
      'run_annabel_3, exp-annabel-v2, Annabel2, annabelRun',
      'run_user1_3, exp-user1-v2, user12, user1Run',
    ],
    ['job-gpu7-1, gpu7_log and GPU7.local', 'job-host2-1, host2_log and host2.local'],
    ['ssh annabel@gpu9 and react@18.2.0', 'ssh mail1 and react@18.2.0'],
    ['/opt/python3/acme/customers/net.py', '/opt/dir1/dir2/dir3/net.py'],
    ['/home/annabel/lib/python3.11/acme/x.csv', '/home/user1/lib/python3.11/dir1/file1.csv'],
    ['/home/annabel/lib/python3.11/json/decoder.py', '/home/user1/lib/python3.11/json/decoder.py'],
    ['/usr/local/acme/bin/run.py', '/dir1/dir2/dir3/dir4/run.py'],
    ['see https://wiki.acme.example/x?id=1 or ann@acme.example', 'see url1 or mail1'],
    ['encoder/layer.3/attention (iteration 5/10)', 'encoder/layer.3/attention (iteration 5/10)'],
    ['rank 3', 'rank 3'],
    ['', ''],
  ])('%s', (text, expected) => {
    expect(redactor().text(text)).toBe(expected);
  });

  it('words of a command line with a slash are paths', () => {
    const said = redactor().command(
      "python src/train.py --data=runs/acme.csv --lr 0.1 --out '/scratch/annabel/x' -m pkg.mod",
    );
    expect(said).toBe(
      "python dir1/train.py --data=dir2/file1.csv --lr 0.1 --out '/dir3/dir4/file2' -m pkg.mod",
    );
  });

  it('is the same wherever it stands, and apart from others', () => {
    const one = redactor();
    const [a, b, c] = ['/srv/a/m/x.py', '/srv/a/n/x.py', '/srv/a/m/x.py'].map((p) => one.text(p));
    expect(a).toBe(c);
    expect(a).not.toBe(b);
    expect(a!.split('/').slice(0, 3)).toEqual(b!.split('/').slice(0, 3));
    // Somebody's own dir1 is not taken for what stands for a name.
    expect(one.text('/dir1/dir2/dir3/x.py')).not.toBe(a);
  });

  it('people are found by their home folders', () => {
    const text = 'x /home/bob/y, "/Users/eve", /nfs/homes/kim/z, ~lee/w';
    expect(usersIn(text)).toEqual(['bob', 'eve', 'kim', 'lee']);
  });

  it.each(['a-', 'a.', 'sk-'])('is done with a long word of %s', (part) => {
    const word = part.repeat(200_000 / part.length);
    expect(new Redactor(['kim'], []).text(word)).toBe(word);
  });
});
