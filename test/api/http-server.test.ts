/** The server under the application: its start's faults, and its end. */
import { connect } from 'node:net';
import { expect } from 'chai';
import { listen } from '../../src/api/http/http-server.js';
import { StartFault } from '../../src/shared/runtime/start-fault.js';
import { until } from './support/until.js';

describe('FL-7 the API server', () => {
  it('a port in use and a foreign address are faults that name the variable', async () => {
    const server = await listen((_request, response) => response.end(), '127.0.0.1', 0);
    const port = Number(new URL(server.url).port);
    const inUse: unknown = await listen(() => undefined, '127.0.0.1', port).catch((error: unknown) => error);
    expect(inUse).to.be.instanceOf(StartFault).with.property('message').that.contains(`PORT=${port}`);
    const foreign: unknown = await listen(() => undefined, '192.0.2.1', 0).catch((error: unknown) => error);
    expect(foreign).to.be.instanceOf(StartFault).with.property('message').that.contains('HOST=192.0.2.1');
    await server.close();
  });

  it('closes at once around a connection that never asked, and after the answer of one that did', async () => {
    let answer: () => void = () => undefined;
    let asked = 0;
    const server = await listen(
      (_request, response) => {
        asked += 1;
        answer = () => response.end('late');
      },
      '127.0.0.1',
      0,
    );
    const port = Number(new URL(server.url).port);
    const silent = connect(port, '127.0.0.1');
    const busy = connect(port, '127.0.0.1');
    let text = '';
    busy.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    silent.resume();
    busy.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await until(() => asked === 1 && !silent.connecting, 'both are connected');
    let closed = false;
    const closing = server.close().then(() => (closed = true));
    await until(() => silent.readableEnded, 'the silent one is let go');
    expect(closed).to.equal(false);
    answer();
    await until(() => closed, 'the server is closed');
    await closing;
    expect(text).to.contain('200 OK').and.to.contain('late');
  });
});
