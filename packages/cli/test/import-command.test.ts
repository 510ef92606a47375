import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Code, ConnectError } from '@connectrpc/connect'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { busUsers } from '@parley/contracts/deployables'
import { AccountsTransferService, ImportedPersonOutcome, RoomsTransferService } from '@parley/contracts/internal'
import { startNats } from '@parley/local/infrastructure'
import { connectBus, serveRpc } from '@parley/rpc'
import { runParley } from './_parley.ts'

const conf = fileURLToPath(new URL('../../../deploy/nats/parley.conf', import.meta.url))
const closing: (() => unknown)[] = []
const dataDir = mkdtempSync(join(tmpdir(), 'parley-cli-'))
const archive = join(dataDir, 'export.jsonl')

/** Starts a fake of accounts, which creates every account, and one of rooms, which creates no room. */
beforeAll(async () => {
  const passwords = busUsers.map((user) => [`PARLEY_NATS_PASSWORD_${user.toUpperCase()}`, `password-of-${user}`])
  closing.push(() => rmSync(dataDir, { recursive: true, force: true }))
  const nats = await startNats({ dir: join(dataDir, 'nats'), conf, env: Object.fromEntries(passwords) })
  closing.push(() => nats.stop())
  mkdirSync(join(dataDir, 'run'))
  const operator = { natsUrl: nats.url, natsUser: 'operator', natsPassword: 'password-of-operator' }
  writeFileSync(join(dataDir, 'run/operator.json'), JSON.stringify(operator))
  const lines = [
    { type: 'header', format: 'parley-export', version: 1, server: 'Gone' },
    { type: 'person', id: 'U1', login: 'ada', createdAt: '2020-01-01T00:00:00Z' },
    { type: 'room', id: 'R1', name: 'work' },
    { type: 'end' },
  ]
  writeFileSync(archive, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  for (const name of ['accounts', 'rooms'] as const) {
    const own = { user: name, password: `password-of-${name}`, name }
    const bus = await connectBus({ url: nats.url, ...own, purpose: 'rpc' })
    closing.push(() => bus[Symbol.asyncDispose]())
    const server = await serveRpc(bus, {
      deployable: name,
      routes: (router) => {
        if (name === 'accounts')
          router.service(AccountsTransferService, {
            importPeople: ({ people }) => ({
              people: people.map(({ externalId, name: login }) => {
                return { externalId, userId: 'here', login, outcome: ImportedPersonOutcome.MADE }
              }),
            }),
          })
        else
          router.service(RoomsTransferService, {
            importGroup: () => ({ groupId: 'G1', made: true }),
            importRoom: () => {
              throw new ConnectError('no more rooms', Code.FailedPrecondition)
            },
          })
      },
    })
    closing.push(() => server[Symbol.asyncDispose]())
  }
})
afterAll(async () => {
  for (const close of closing.reverse()) await close()
})

test('an import that fails reports what it has imported, and why it failed', async () => {
  const report = join(dataDir, 'report.json')
  const asText = await runParley(['import', 'parley', archive], { dir: dataDir })
  expect(asText).toEqual({ code: 1, out: expect.stringMatching(/^imported:\n/), err: 'parley: no more rooms\n' })
  const asJson = await runParley(['import', 'parley', archive, '--json', '--report', report], { dir: dataDir })
  expect(asJson.code).toBe(1)
  const failure = { error: { code: 'failed_precondition', message: 'no more rooms' } }
  expect(JSON.parse(asJson.err)).toEqual(failure)
  const reported: unknown = JSON.parse(asJson.out)
  expect(reported).toMatchObject({ source: 'parley:Gone', complete: false, taken: { groups: 1 }, notTaken: [] })
  expect(JSON.parse(readFileSync(report, 'utf8'))).toEqual(reported)
  expect((await runParley(['import', 'parley', archive, '--json'], { dir: dataDir })).out).toBe(asJson.out)
})
