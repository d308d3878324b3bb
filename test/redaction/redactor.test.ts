import { expect } from 'chai';
import fc from 'fast-check';
import { createRedactor } from '../../src/shared/adapters/redaction/redactor.js';

const redact = createRedactor();
// Put together here, so that no scanner of this repository takes them for real ones.
const run = (pattern: string, times: number) => pattern.repeat(times);
const JWT = `eyJ${run('hbGciOi', 3)}.eyJ${run('zdWIiOi', 3)}.${run('dBjftJeZ', 4)}`;
const PRIVATE_KEY = [
  '-----BEGIN RSA ',
  'PRIVATE KEY-----\nMIIEow',
  'IBAAKCAQEA\n-----END RSA ',
  'PRIVATE KEY-----',
].join('');

const TOKENS: readonly (readonly [kind: string, secret: string])[] = [
  ['jwt', JWT],
  ['aws_access_key', `AKIA${run('J7QX', 4)}`],
  ['aws_access_key', `ASIA${run('J7QX', 4)}`],
  ['github_token', `ghp_${run('a1B2', 9)}`],
  ['github_token', `github_pat_${run('a1B2', 9)}`],
  ['gitlab_token', `glpat-${run('a1B2', 5)}`],
  ['slack_token', `xoxb-${run('12345-', 3)}abcDEF`],
  ['stripe_key', `sk_live_${run('a1B2', 6)}`],
  ['google_api_key', `AIza${run('a1B2c', 7)}`],
  ['google_token', `ya29.${run('a1B2c', 7)}`],
  ['api_key', `sk-proj-${run('a1B2c', 7)}`],
  ['sworn_token', `swt_${run('a1B2c', 7)}`],
  ['npm_token', `npm_${run('a1B2', 9)}`],
  ['pypi_token', `pypi-${run('AgEIc', 11)}`],
  ['huggingface_token', `hf_${run('aBcDe', 7)}`],
  ['sendgrid_key', `SG.${run('a1B2', 5)}.${run('a1B2', 10)}`],
  ['digitalocean_token', `dop_v1_${run('a1b2', 16)}`],
  ['shopify_token', `shpat_${run('a1b2', 8)}`],
  ['vault_token', `hvs.${run('a1B2', 7)}`],
  ['telegram_token', `123456789:AA${run('a1B', 11)}`],
  ['private_key', PRIVATE_KEY],
];

const NAMED: readonly (readonly [text: string, shown: string])[] = [
  ['password=hunter2', 'password=[redacted:password]'],
  ['DB_PASSWORD=hunter2 DB_HOST=db1', 'DB_PASSWORD=[redacted:password] DB_HOST=db1'],
  ['{"userPassword": "it\\"s me", "n": 1}', '{"userPassword": "[redacted:password]", "n": 1}'],
  ['{\\"password\\":\\"hunter2\\",\\"n\\":1}', '{\\"password\\":\\"[redacted:password]\\",\\"n\\":1}'],
  ['password: hunter2', 'password: [redacted:password]'],
  ['  password: correcthorse\n  user: bob', '  password: [redacted:password]\n  user: bob'],
  ['Server=db;Pwd=s3cr3t;Timeout=3', 'Server=db;Pwd=[redacted:password];Timeout=3'],
  ['GET /login?user=a&password=b%40c&x=1', 'GET /login?user=a&password=[redacted:password]&x=1'],
  ["IDENTIFIED BY 'hunter2'", "IDENTIFIED BY '[redacted:password]'"],
  ['mysql --password hunter22 -h db1', 'mysql --password [redacted:password] -h db1'],
  ['mysql://app:hunter2@db1:3306/shop', 'mysql://app:[redacted:password]@db1:3306/shop'],
  ['redis://:hunter2@cache:6379/0', 'redis://:[redacted:password]@cache:6379/0'],
  ['api_key=abc123DEF456', 'api_key=[redacted:api_key]'],
  ["client_secret: 'abcdef123'", "client_secret: '[redacted:secret]'"],
  ['aws_secret_access_key = wJalrXUtnFEMI/K7MDENG', 'aws_secret_access_key = [redacted:secret]'],
  ['access_token=abcdef1234567', 'access_token=[redacted:token]'],
  ['token=ab12cd34ef56ab78', 'token=[redacted:token]'],
  ['password_hash=$2b$10$abcdefghijk', 'password_hash=[redacted:password]'],
  ['Authorization: Bearer abcdef123456', 'Authorization: Bearer [redacted:bearer]'],
  ['Authorization: Basic dXNlcjpwYXNz', 'Authorization: Basic [redacted:authorization]'],
  ['Cookie: sid=abc; theme=dark\r\nHost: x', 'Cookie: [redacted:cookie]\r\nHost: x'],
  ['JSESSIONID=0123456789ABCDEF; Path=/', 'JSESSIONID=[redacted:session_id]; Path=/'],
  [
    'https://hooks.slack.com/services/T0000/B0000/abcdefghij',
    'https://hooks.slack.com/services/[redacted:slack_webhook]',
  ],
];

const ORDINARY = [
  'Failed password for root from 183.62.140.253 port 53300 ssh2',
  "Access denied for user 'app'@'10.0.0.7' (using password: YES)",
  'password: see the runbook of the identity team',
  'request_id=7d0c8e83-e18d-4a2c-9f0e-6b1f7a3c2d11 trace=4bf92f3577b34da6a3ce929d0e0e4736',
  'commit 3c7fa05b1e2f4d6a8c9e0b1d2f3a4c5e6b7d8f90 merged',
  'max_tokens=4096 total_tokens: 1234567890123456789 token_count=12',
  'Unexpected token: identifier in JSON at position 12',
  'secret "default/my-tls" not found; secretKeyRef: db-credentials',
  'PWD=/var/lib/app OLDPWD=/root',
  'alice@example.org logged in from 2001:db8::1 at 2026-01-02T03:04:05.678Z',
  'http://prometheus:9090/graph?g0.expr=up GET /users/@me 200 12ms',
  'order 18446744073709551615 cost 12345678901234.56 EUR',
  'the bearer of this note; bearer authentication failed',
  'password=${DB_PASSWORD} api_key=$API_KEY secret=null token=<none> password=%s password=****',
  'the task-scheduler-for-something-rather-long-without-end ran',
  'sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  '密码错误 für Käufer 🙂',
];

describe('SE-2 redaction', () => {
  for (const [kind, secret] of TOKENS) {
    it(`hides ${kind} (${secret.slice(0, 5)}…) wherever it stands`, () => {
      const mark = `[redacted:${kind}]`;
      expect(redact(secret)).to.equal(mark);
      expect(redact(`got ${secret}, and\n"${secret}"`)).to.equal(`got ${mark}, and\n"${mark}"`);
    });
  }

  for (const [text, shown] of NAMED) {
    it(`hides the value in ${text.slice(0, 30)}`, () => {
      expect(redact(text)).to.equal(shown);
      expect(redact(`x ${text}`)).to.equal(`x ${shown}`);
    });
  }

  it('hides all of a private key that is cut off', () => {
    expect(redact(`a ${PRIVATE_KEY.slice(0, 50)}`)).to.equal('a [redacted:private_key]');
  });

  it('hides the whole of a value that never ends', () => {
    expect(redact(`password="${run('a1', 5000)}`)).to.equal('password="[redacted:password]');
    expect(redact(`password=${run('a1', 5000)} x`)).to.equal('password=[redacted:password] x');
  });

  for (const text of ORDINARY)
    it(`leaves "${text.slice(0, 40)}" byte for byte`, () => {
      expect(redact(text)).to.equal(text);
    });

  it('is idempotent', () => {
    const parts = [...TOKENS.map(([, secret]) => secret), ...NAMED.map(([text]) => text), ...ORDINARY];
    const glue = fc.constantFrom(
      ' ',
      '',
      '\n',
      '=',
      ': ',
      '"',
      "'",
      '\\"',
      '[',
      ']',
      'password=',
      'token: "',
      '://a:',
      '@',
    );
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.constantFrom(...parts), glue, fc.string({ maxLength: 8 })), { maxLength: 12 }),
        (list) => {
          const once = redact(list.join(''));
          expect(redact(once)).to.equal(once);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('ends on a megabyte made to be slow', () => {
    const units = [
      'password',
      'password:',
      'password=',
      'token=',
      'token: ',
      'token="',
      "token='\\",
      'token=\\"',
      'eyJaaaaaaaa.',
      'eyJ-',
      '://',
      '://a:',
      'sk-',
      'xoxb-',
      'SG.aaaaaaaaaaaaaaaa.',
      'bearer ',
      'cookie: a',
      '-----BEGIN PRIVATE KEY-----',
      'authorization: basic ',
      'a',
      ' ',
      '\\',
      '"',
      'AKIA',
      '1234567890:AA',
      'ghp_',
      'identified by ',
      '--token ',
      '[redacted:',
      'swt_-',
      'hooks.slack.com/services/',
    ];
    for (const unit of units) {
      const hostile = run(unit, Math.ceil(1_000_000 / unit.length));
      expect(redact(hostile).length, unit).to.be.at.most(
        hostile.length + 64 * (hostile.length / unit.length),
      );
    }
  }).timeout(60_000);
});
