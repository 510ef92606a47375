import { once } from 'node:events'
import { expect, test } from '@jest/globals'
import { withBehaviour, startProcess } from './_process.ts'

async function readyMessage(child: ReturnType<typeof startProcess>['child']) {
  const [message] = await once(child, 'message')
  return message as { type: string; internalPort: number; url: string }
}

test.each(['SIGTERM', 'SIGINT'] as const)('%s drains, closes in order and ends the process cleanly', async (signal) => {
  await using service = startProcess('service', undefined, true)
  await readyMessage(service.child)
  service.child.kill(signal)
  expect(await service.ended).toBe(0)
  expect(service.lines).toEqual(['work finished while readyz says 503', 'pool closed'])
})

test('a forked process reports its port to its parent', async () => {
  await using service = startProcess('service', undefined, true)
  const message = await readyMessage(service.child)
  expect(message).toEqual({ type: 'ready', internalPort: expect.any(Number), url: 'http://test.invalid' })
  const response = await fetch(`http://127.0.0.1:${message.internalPort}/readyz`)
  expect(response.status).toBe(200)
})

test('a process reports its deployable, even if OTEL_SERVICE_NAME differs', async () => {
  const names = { PARLEY_SERVICE: 'rooms', OTEL_SERVICE_NAME: 'chat' }
  await using service = startProcess('service', { ...withBehaviour(''), ...names }, true)
  const { internalPort } = await readyMessage(service.child)
  const response = await fetch(`http://127.0.0.1:${internalPort}/status`)
  expect(await response.json()).toMatchObject({ service: 'rooms' })
})

test('a forked process ends when its parent is killed', async () => {
  await using parent = startProcess('parent')
  await parent.line(/"ready"/)
  parent.child.kill('SIGKILL')
  // The child inherits the pipe of the output, which ends when both processes have ended.
  expect(await parent.ended).toBe('SIGKILL')
  expect(parent.lines.slice(1)).toEqual(['work finished while readyz says 503', 'pool closed'])
})

test('an invalid configuration is reported in full, without secrets, and the process exits with 78', async () => {
  await using service = startProcess('service', { TEST_DATABASE_URL: 'mysql://user:hunter2@host/db' })
  expect(await service.ended).toBe(78)
  expect(service.errors).toEqual([
    'test: the configuration is not valid:',
    '  TEST_DATABASE_URL: the given value does not match ^postgres:',
    '  TEST_NATS_URL: is missing (the bus)',
  ])
})

test('a failed start is logged and the process exits with 1', async () => {
  await using service = startProcess('service', withBehaviour('cannot start'))
  expect(await service.ended).toBe(1)
  expect(JSON.parse(service.lines[0] ?? '')).toMatchObject({
    level: 'fatal',
    msg: 'test could not start',
    err: { message: 'no such table' },
  })
})

test('SIGTERM also ends a process that is still starting', async () => {
  await using service = startProcess('service', withBehaviour('slow to start'))
  await service.line(/starting/)
  service.child.kill('SIGTERM')
  expect(await service.ended).toBe(0)
})

test.each(['stuck', 'leaks'])(
  'a process that does not stop in time, because of the fault "%s", exits with 1',
  async (behaviour) => {
    await using service = startProcess('service', withBehaviour(behaviour), true)
    await readyMessage(service.child)
    service.child.kill('SIGTERM')
    expect(await service.ended).toBe(1)
    expect(JSON.parse(service.lines.at(-1) ?? '')).toMatchObject({
      msg: 'test did not stop in time and exits now',
    })
  },
)
