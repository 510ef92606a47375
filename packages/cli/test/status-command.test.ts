import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { runCli } from '@parley/cli'
import { deployableNames } from '@parley/contracts/deployables'
import { Health, serveInternal } from '@parley/runtime'
import { logger, serverVersion } from '@parley/telemetry'
import { runParley } from './_parley.ts'

const dir = mkdtempSync(join(tmpdir(), 'parley-cli-'))
const closing: (() => unknown)[] = [() => rmSync(dir, { recursive: true, force: true })]
const health = new Health()
let port: number

const write = (...services: { name: string; internalPort: number }[]) => {
  mkdirSync(join(dir, 'run'), { recursive: true })
  writeFileSync(join(dir, 'run/processes.json'), JSON.stringify({ services }))
}

beforeAll(async () => {
  const server = await serveInternal({ host: '127.0.0.1', port: 0, health })
  port = server.port
  closing.push(() => server[Symbol.asyncDispose]())
})
afterAll(async () => {
  for (const close of closing.reverse()) await close()
})

type Printed = { ready: boolean; missing: string[]; versions: string[]; nodes: Record<string, unknown>[] }
const parley = (...args: string[]) => runParley(['status', ...args], { dir })

test('reports that no fleet runs', async () => {
  expect(await parley()).toMatchObject({ code: 3, err: expect.stringContaining('no fleet runs') })
})

test('reports a process that is not ready, a process that has ended, and deployables without a process', async () => {
  using _waiting = { [Symbol.dispose]: health.requireAtStart('postgres') }
  write({ name: 'rooms', internalPort: port }, { name: 'calls', internalPort: 1 })
  const log = logger('relay')
  log.error({ err: Object.assign(new Error('of alice'), { code: '57P01' }) }, 'the outbox could not be read')
  const { code, out } = await parley('--json')
  const status = JSON.parse(out) as Printed
  expect(code).toBe(1)
  expect(status).toMatchObject({ ready: false, versions: [serverVersion] })
  expect(status.missing).toContain('gateway')
  expect(status.missing).not.toContain('calls')
  // Metrics and earlier errors depend on the test files that ran before in this process.
  expect(status.nodes).toContainEqual(
    expect.objectContaining({
      ...{ at: `127.0.0.1:${port}`, state: 'not ready', reasons: ['waiting for postgres'], service: 'parley' },
      ...{ host: expect.any(String), version: serverVersion, startedAt: expect.stringContaining('T') },
      lastErrors: expect.arrayContaining([
        { at: expect.any(String), part: 'relay', message: 'the outbox could not be read', error: '57P01' },
      ]),
    }),
  )
  expect(status.nodes).toContainEqual(
    expect.objectContaining({ service: 'calls', state: 'unreachable', at: '127.0.0.1:1' }),
  )
  const { out: text } = await parley()
  expect(text).toMatch(/^service +node +version +state/)
  expect(text).toContain('waiting for postgres')
  expect(text).toMatch(/no process of gateway, realtime/)
  expect(text).toMatch(/last errors:\n.*the outbox could not be read \(57P01\)/)
  expect(text).not.toContain('alice')
})

test('an outage is shown and makes the command fail, while the process stays ready', async () => {
  using _outage = health.addOutage('bus', () => 'no answer')
  write(...deployableNames.map((name) => ({ name, internalPort: port })))
  const { code, out, err } = await parley()
  expect({ code, out, err }).toMatchObject({
    code: 1,
    out: expect.stringContaining(`127.0.0.1:${port}: bus: no answer`),
  })
  expect(err).toContain('processes report an outage')
  const { nodes } = JSON.parse((await parley('--json')).out) as Printed
  expect(nodes[0]).toMatchObject({ state: 'ready', outages: ['bus: no answer'] })
  expect(health.status()).toEqual({ ready: true, reasons: [] })
})

test('line breaks in an answer add no lines to the table', async () => {
  using _outage = health.addOutage('bus', () => 'no answer\nforged')
  write({ name: 'rooms', internalPort: port })
  expect((await parley()).out).toContain('bus: no answer forged\n')
})

test('--at accepts addresses with or without http://; unreachable ones exit with code 3, invalid ones with 2', async () => {
  for (const scheme of ['', 'http://', 'HTTP://']) {
    const { code, out } = await parley('--json', '--at', `${scheme}127.0.0.1:${port}`)
    expect(code).toBe(1)
    expect((JSON.parse(out) as Printed).nodes).toEqual([expect.objectContaining({ state: 'ready' })])
  }
  expect(await parley('--at', 'no-such-host.invalid:9090')).toMatchObject({ code: 3 })
  expect(await parley('--at', 'http://')).toMatchObject({ code: 2 })
  expect(await parley('--at', '127.0.0.1:1')).toMatchObject({ code: 3 })
  expect((await parley('--at', 'no-such-host.invalid:80')).out).toContain('no-such-host.invalid:80')
})

test.each(['https://127.0.0.1', 'nats://127.0.0.1:4222'])('--at %s is refused', async (name) => {
  expect(await parley('--at', name)).toMatchObject({
    code: 2,
    err: expect.stringContaining('internal ports use HTTP'),
  })
})

test('a host name that cannot be resolved counts as one unreachable process', async () => {
  const { code, out } = await parley('--json', '--at', 'no-such-host.invalid', `127.0.0.1:${port}`)
  expect(code).toBe(1)
  const { nodes } = JSON.parse(out) as Printed
  expect(nodes.map(({ state, at }) => [state, at])).toEqual(
    expect.arrayContaining([
      ['unreachable', 'no-such-host.invalid:9090'],
      ['ready', `127.0.0.1:${port}`],
    ]),
  )
})

const withoutDate = JSON.stringify({
  ...{ service: 'rooms', version: '1', host: 'h', startedAt: 'soon', ready: true, reasons: [], lastErrors: [] },
})

test.each(['{}', 'null', 'hello', '{"ready":true,"reasons":"no","lastErrors":{}}', withoutDate])(
  'a server that answers %s is not taken for a Parley process and counts as unreachable',
  async (answer) => {
    const server = createServer((_, response) => response.end(answer)).listen(0, '127.0.0.1')
    await once(server, 'listening')
    closing.push(() => server.close())
    const other = `127.0.0.1:${(server.address() as AddressInfo).port}`
    const { code, out } = await parley('--json', '--at', other, `127.0.0.1:${port}`)
    expect(code).toBe(1)
    expect((JSON.parse(out) as Printed).nodes).toContainEqual(
      expect.objectContaining({
        at: other,
        state: 'unreachable',
        reasons: ['the response is not from a Parley process'],
      }),
    )
  },
)

test('a server whose answer does not end is cut off and counts as unreachable', async () => {
  const chunk = Buffer.alloc(1024 ** 2, ' ')
  const server = createServer((_, response) => {
    Readable.from(
      (function* () {
        for (;;) yield chunk
      })(),
    ).pipe(response)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  closing.push(() => server.close())
  const { code, out } = await parley('--json', '--at', `127.0.0.1:${(server.address() as AddressInfo).port}`)
  expect(code).toBe(3)
  expect((JSON.parse(out) as Printed).nodes).toEqual([
    expect.objectContaining({ state: 'unreachable', reasons: ['the response is too large'] }),
  ])
})

test.each(['0', '-1', 'Infinity', '3000000', 'often', ''])('--watch %p is refused', async (seconds) => {
  expect(await parley('--at', `127.0.0.1:${port}`, '--watch', seconds)).toMatchObject({ code: 2 })
})

test('--watch continues while the fleet is stopped', async () => {
  const fleet = { name: 'rooms', internalPort: port }
  write(fleet)
  const lines: Printed[] = []
  const ended = new Error('the reader has seen enough')
  const change = [() => rmSync(join(dir, 'run/processes.json')), () => write(fleet)]
  const watching = runCli(['status', '--watch', '0.01', '--json'], {
    input: Object.assign(process.stdin, { isTTY: false }),
    out: (text) => {
      lines.push(JSON.parse(text) as Printed)
      const next = change[lines.length - 1]
      if (next === undefined) throw ended
      next()
    },
    pipe: () => undefined,
    err: () => undefined,
    env: { PARLEY_DATA_DIR: dir },
  })
  await expect(watching).rejects.toBe(ended)
  expect(lines.map(({ ready, nodes }) => [ready, nodes.length])).toEqual([
    [false, 1],
    [false, 0],
    [false, 1],
  ])
  expect(lines[1]?.missing).toContain('rooms')
})

test('--watch --json prints an object each time, and continues although a process is unreachable', async () => {
  const lines: Printed[] = []
  const ended = new Error('the reader has seen enough')
  const at = ['--at', 'no-such-host.invalid', `127.0.0.1:${port}`]
  const watching = runCli(['status', ...at, '--watch', '0.01', '--json'], {
    input: Object.assign(process.stdin, { isTTY: false }),
    out: (text) => {
      if (lines.push(JSON.parse(text) as Printed) === 3) throw ended
    },
    pipe: () => undefined,
    err: () => undefined,
    env: {},
  })
  await expect(watching).rejects.toBe(ended)
  expect(lines.map(({ nodes }) => nodes.length)).toEqual([2, 2, 2])
})
