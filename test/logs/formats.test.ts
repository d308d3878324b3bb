import { expect } from 'chai';
import { LineReader } from '../../src/shared/adapters/logs/formats/line-reader.js';
import { levelOfField, levelOfPriority, levelOfWord } from '../../src/shared/adapters/logs/level.js';
import { TimeReader } from '../../src/shared/adapters/logs/log-time.js';
import { WallClock } from '../../src/shared/adapters/logs/time-zone.js';

/** time, level, service, message */
type Read = [string, string | undefined, string | undefined, string] | undefined;

function newReader(): LineReader {
  return new LineReader(new TimeReader(new WallClock('UTC'), Date.parse('2026-12-31T00:00:00Z')));
}
function read(line: string, reader = newReader()): Read {
  const head = reader.read(line);
  if (!head) return undefined;
  const body = head.body();
  return [new Date(head.timeMs).toISOString(), body.level, body.service, body.message];
}
function field(line: string, name: string): string | undefined {
  return newReader().read(line)?.body().field?.(name);
}
function expectEach(cases: readonly [string, NonNullable<Read>][]): void {
  for (const [line, expected] of cases) expect(read(line), line).to.deep.equal(expected);
}
const AT = '2026-01-02T03:04:05.000Z';
const AT_MS = '2026-01-02T03:04:05.123Z';

describe('EG-10 log_search: formats', () => {
  it('JSON lines of pino, zap, logback, ECS, MongoDB, journald and Docker', () => {
    expectEach([
      [
        '{"level":50,"time":1767323045123,"pid":1,"name":"checkout","msg":"payment failed","err":{"code":"E1"},"ms":812}',
        [AT_MS, 'ERROR', 'checkout', 'payment failed pid=1 err={"code":"E1"} ms=812'],
      ],
      [
        '{"level":"warn","ts":1767323045.123,"msg":"slow","q":"a b"}',
        [AT_MS, 'WARN', undefined, 'slow q="a b"'],
      ],
      [
        '{"@timestamp":"2026-01-02T03:04:05.123Z","log.level":"ERROR","service.name":"cart","message":"x"}',
        [AT_MS, 'ERROR', 'cart', 'x'],
      ],
      [
        '{"@timestamp":"2026-01-02T03:04:05.123Z","log":{"level":"fatal"},"service":{"name":"cart"},"message":"x"}',
        [AT_MS, 'FATAL', 'cart', 'x log={"level":"fatal"} service={"name":"cart"}'],
      ],
      [
        '{"t":{"$date":"2026-01-02T03:04:05.123+00:00"},"s":"W","c":"NETWORK","msg":"closed"}',
        [AT_MS, 'WARN', undefined, 'closed c=NETWORK'],
      ],
      [
        '{"__REALTIME_TIMESTAMP":"1767323045123456","PRIORITY":"3","SYSLOG_IDENTIFIER":"sshd","MESSAGE":"no"}',
        [AT_MS, 'ERROR', 'sshd', 'no __REALTIME_TIMESTAMP=1767323045123456'],
      ],
      [
        '{"log":"{\\"level\\":\\"error\\",\\"msg\\":\\"inner\\",\\"app\\":\\"a\\"}\\n","stream":"stderr","time":"2026-01-02T03:04:05Z"}',
        [AT, 'ERROR', 'a', 'inner'],
      ],
      [
        '{"time":"2026-01-02T03:04:05Z","method":"GET","status":503}',
        [AT, 'ERROR', undefined, 'method=GET status=503'],
      ],
      ['{"time":"2026-01-02T03:04:05Z"}', [AT, undefined, undefined, '{"time":"2026-01-02T03:04:05Z"}']],
    ]);
    for (const none of ['{"msg":"no time"}', '{"time":"2026-01-02T03:04:05Z"', '{', '[1]']) {
      expect(read(none), none).to.equal(undefined);
    }
  });

  it('JSON numbers keep the digits that were written', () => {
    const line =
      '{"time":"2026-01-02T03:04:05Z","msg":"m","id":12345678901234567890,"price":1.50,"s":"9 12345678901234567890"}';
    expect(read(line)?.[3]).to.equal('m id=12345678901234567890 price=1.50 s="9 12345678901234567890"');
    expect(field(line, 'id')).to.equal('12345678901234567890');
  });

  it('JSON names of prototypes are no fields', () => {
    const line = '{"time":"2026-01-02T03:04:05Z","msg":"m","__proto__":{"level":"fatal"}}';
    expect(field(line, 'constructor')).to.equal(undefined);
    expect(read(line)?.[1]).to.equal(undefined);
  });

  it('logfmt', () => {
    expectEach([
      [
        'time="2026-01-02T03:04:05Z" level=warning msg="took \\"long\\"" service=cart dur=1.2s',
        [AT, 'WARN', 'cart', 'took "long" dur=1.2s'],
      ],
      [
        'level=error ts=2026-01-02T03:04:05.123Z caller=a.go:1 msg=failed',
        [AT_MS, 'ERROR', undefined, 'failed caller=a.go:1'],
      ],
    ]);
    expect(read('key=value without=time')).to.equal(undefined);
    expect(field('time=2026-01-02T03:04:05Z user=bob', 'user')).to.equal('bob');
  });

  it('syslog RFC 5424, with and without structured data', () => {
    expectEach([
      ['<11>1 2026-01-02T03:04:05.123Z web1 nginx 77 ID47 - it broke', [AT_MS, 'ERROR', 'nginx', 'it broke']],
      [
        '<165>1 2026-01-02T03:04:05Z h app - - [ex@1 k="a]b\\"" z="2"][y] said',
        [AT, 'INFO', 'app', '[ex@1 k="a]b\\"" z="2"][y] said'],
      ],
      ['<0>1 2026-01-02T03:04:05Z h - - - - gone', [AT, 'FATAL', undefined, 'gone']],
    ]);
    expect(field('<11>1 2026-01-02T03:04:05Z web1 nginx 77 - - x', 'host')).to.equal('web1');
  });

  it('syslog RFC 3164, on the wire, in files, and in the ISO form', () => {
    expectEach([
      ['<34>Jan  2 03:04:05 web1 su[12]: denied', [AT, 'FATAL', 'su', 'denied']],
      [
        'Jan  2 03:04:05 LabSZ sshd[24200]: Failed password for root',
        [AT, undefined, 'sshd', 'Failed password for root'],
      ],
      [
        'Jan  2 03:04:05 LabSZ sshd[24200]: error: Received disconnect',
        [AT, 'ERROR', 'sshd', 'error: Received disconnect'],
      ],
      ['Jan 02 03:04:05 host CRON: done', [AT, undefined, 'CRON', 'done']],
      ['2026-01-02T03:04:05.123456+00:00 host systemd[1]: Started', [AT_MS, undefined, 'systemd', 'Started']],
      ['<29>2026-01-02T03:04:05Z host app: note', [AT, 'INFO', 'app', 'note']],
    ]);
    expect(field('Jan  2 03:04:05 LabSZ sshd[24200]: x', 'pid')).to.equal('24200');
  });

  it('nginx and Apache access lines, their level by the status', () => {
    const line = (status: number, before = ''): string =>
      `${before}203.0.113.7 - bob [02/Jan/2026:04:04:05 +0100] "GET /cart?id=1 HTTP/1.1" ${String(status)} 512 "-" "curl/8"`;
    expectEach([
      [line(503), [AT, 'ERROR', undefined, line(503)]],
      [line(500), [AT, 'ERROR', undefined, line(500)]],
      [line(499), [AT, 'WARN', undefined, line(499)]],
      [line(399), [AT, 'INFO', undefined, line(399)]],
      [line(404), [AT, 'WARN', undefined, line(404)]],
      [line(302, 'shop.example:443 '), [AT, 'INFO', undefined, line(302, 'shop.example:443 ')]],
      [
        '::1 - - [02/Jan/2026:03:04:05 +0000] "\\x16\\x03" 400 -',
        [AT, 'WARN', undefined, '::1 - - [02/Jan/2026:03:04:05 +0000] "\\x16\\x03" 400 -'],
      ],
    ]);
    expect(field(line(200, 'shop.example:443 '), 'remote_addr')).to.equal('203.0.113.7');
    expect(field(line(200), 'path')).to.equal('/cart');
    expect(field(line(200), 'user_agent')).to.equal('curl/8');
  });

  it('Apache and nginx error logs', () => {
    expectEach([
      ['[Fri Jan 02 03:04:05 2026] [notice] jk2_init() ok', [AT, 'INFO', undefined, 'jk2_init() ok']],
      [
        '[Fri Jan 02 03:04:05.123456 2026] [core:error] [pid 1:tid 2] [client 1.2.3.4:5] AH1: no',
        [AT_MS, 'ERROR', undefined, '[pid 1:tid 2] [client 1.2.3.4:5] AH1: no'],
      ],
      ['[Fri Jan 02 03:04:05.123456 2026] [ssl:trace8] x', [AT_MS, 'TRACE', undefined, 'x']],
      [
        '2026/01/02 03:04:05 [crit] 12#0: *7 open() failed',
        [AT, 'FATAL', undefined, '12#0: *7 open() failed'],
      ],
    ]);
  });

  it('timestamped text in common use', () => {
    expectEach([
      [
        '2026-01-02 03:04:05,123 - INFO  [a:B@7] - Notification',
        [AT_MS, 'INFO', undefined, '[a:B@7] - Notification'],
      ],
      [
        'nova-api.log.1.2017-05-16_13:53:08 2026-01-02 03:04:05.123 25746 WARNING nova.wsgi [-] x',
        [AT_MS, 'WARN', 'nova-api', '25746 WARNING nova.wsgi [-] x'],
      ],
      [
        '2026-01-02 03:04:05.123  WARN 1 --- [main] c.e.Foo : slow',
        [AT_MS, 'WARN', undefined, '1 --- [main] c.e.Foo : slow'],
      ],
      ['2026-01-02 03:04:05.123 | ERROR    | m:f:1 - boom', [AT_MS, 'ERROR', undefined, 'm:f:1 - boom']],
      ['2026-01-02 03:04:05,123 - root - ERROR - boom', [AT_MS, 'ERROR', undefined, '- root - ERROR - boom']],
      [
        '2026-01-02 03:04:05.123 UTC [77] FATAL:  no role',
        [AT_MS, 'FATAL', undefined, '[77] FATAL:  no role'],
      ],
      [
        '2026-01-02T03:04:05.123Z 0 [Warning] [MY-1] [Server] x',
        [AT_MS, 'WARN', undefined, '0 [Warning] [MY-1] [Server] x'],
      ],
      ['[2026-01-02T03:04:05Z ERROR app::db] x', [AT, 'ERROR', undefined, 'app::db] x']],
      ['[2026-01-02 03:04:05] production.ERROR: x', [AT, undefined, undefined, 'production.ERROR: x']],
      ['2026/01/02 03:04:05 listening', [AT, undefined, undefined, 'listening']],
      ['[ERROR] 2026-01-02 03:04:05 x', [AT, 'ERROR', undefined, 'x']],
      ['E, [2026-01-02T03:04:05.123456 #9] ERROR -- : x', [AT_MS, 'ERROR', undefined, '#9] ERROR -- : x']],
      ['E0102 03:04:05.123000   12 f.go:3] x', [AT_MS, 'ERROR', undefined, '12 f.go:3] x']],
      ['I20260102 03:04:05.123000 12 f.cc:3] x', [AT_MS, 'INFO', undefined, '12 f.cc:3] x']],
      ['12:M 02 Jan 2026 03:04:05.123 # low memory', [AT_MS, 'WARN', undefined, 'low memory']],
      ['Fri Jan  2 03:04:05 2026 started', [AT, undefined, undefined, 'started']],
      ['Jan 02, 2026 3:04:05 AM org.A b', [AT, undefined, undefined, 'org.A b']],
      ['1767323045.123 kernel up', [AT_MS, undefined, undefined, 'kernel up']],
      [
        '2026-01-02T03:04:05.123000000Z stderr F {"level":"error","msg":"in","app":"a"}',
        [AT_MS, 'ERROR', 'a', 'in'],
      ],
      ['2026-01-02T03:04:05.123000000Z stdout F WARN x', [AT_MS, 'WARN', undefined, 'x']],
    ]);
  });

  it('looks for a level at sensible places only', () => {
    const level = (rest: string) => read(`2026-01-02 03:04:05 ${rest}`)?.[1];
    expect(level('no error in sight')).to.equal(undefined);
    expect(level('Error budgets are fine')).to.equal(undefined);
    expect(level('the ERROR count is 0')).to.equal(undefined);
    expect(level('error: it broke')).to.equal('ERROR');
    expect(level('<warn> x')).to.equal('WARN');
    expect(level('app level=debug x')).to.equal('DEBUG');
    expect(level('[http-1] SEVERE x')).to.equal('ERROR');
    expect(level('ERROR_CODE=5')).to.equal(undefined);
  });

  it('takes prose with a time in it, or indented, for no head', () => {
    for (const line of [
      '\tat a.b(C.java:1)',
      '  2026-01-02 03:04:05 x',
      'see 2026-01-02 03:04:05',
      'Caused by: X',
      '',
    ]) {
      expect(read(line), line).to.equal(undefined);
    }
  });

  it('tells formats apart line by line in one file', () => {
    const reader = newReader();
    expect(read('2026-01-02T03:04:05Z INFO starting', reader)?.[1]).to.equal('INFO');
    expect(read('{"time":"2026-01-02T03:04:05Z","level":"error","msg":"m"}', reader)?.[3]).to.equal('m');
    expect(read('2026-01-02T03:04:05Z host app[3]: m', reader)?.[2]).to.equal('app');
    expect(read('2026-01-02T03:04:05Z WARN again', reader)?.[1]).to.equal('WARN');
    expect(read('2026-01-02T03:04:05Z host app[3]: m', reader)?.[2]).to.equal('app');
  });

  it('folds the levels of all into six', () => {
    const words: [string, string][] = [
      ['warning', 'WARN'],
      ['Notice', 'INFO'],
      ['CRIT', 'FATAL'],
      ['emerg', 'FATAL'],
      ['Alert', 'FATAL'],
      ['SEVERE', 'ERROR'],
      ['finest', 'TRACE'],
      ['err', 'ERROR'],
      ['verbose', 'DEBUG'],
    ];
    for (const [word, level] of words) expect(levelOfWord(word), word).to.equal(level);
    expect(levelOfWord('loud')).to.equal(undefined);
    expect([10, 20, 30, 40, 50, 60, 3, '4', 'W', 200, 'x', null].map(levelOfField)).to.deep.equal([
      'TRACE',
      'DEBUG',
      'INFO',
      'WARN',
      'ERROR',
      'FATAL',
      'ERROR',
      'WARN',
      'WARN',
      'INFO',
      undefined,
      undefined,
    ]);
    expect([0, 1, 2, 3, 4, 5, 6, 7].map((s) => levelOfPriority(8 + s))).to.deep.equal([
      'FATAL',
      'FATAL',
      'FATAL',
      'ERROR',
      'WARN',
      'INFO',
      'INFO',
      'DEBUG',
    ]);
  });
});
