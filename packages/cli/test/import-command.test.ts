import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Code, ConnectError } from '@connectrpc/connect'
import { expect, test } from '@jest/globals'
import { AccountsTransferService, ImportedPersonOutcome, RoomsTransferService } from '@parley/contracts/internal'
import { useFakeServices } from './_fake-services.ts'
import { runParley } from './_parley.ts'

/** The fake of accounts creates every account, and that of rooms creates no room. */
const { dataDir } = useFakeServices({
  accounts: (router) =>
    router.service(AccountsTransferService, {
      importPeople: ({ people }) => ({
        people: people.map(({ externalId, name: login }) => {
          return { externalId, userId: 'here', login, outcome: ImportedPersonOutcome.MADE }
        }),
      }),
    }),
  rooms: (router) =>
    router.service(RoomsTransferService, {
      importGroup: () => ({ groupId: 'G1', made: true }),
      importRoom: () => {
        throw new ConnectError('no more rooms', Code.FailedPrecondition)
      },
    }),
})
const archive = join(dataDir, 'export.jsonl')
const lines = [
  { type: 'header', format: 'parley-export', version: 1, server: 'Gone' },
  { type: 'person', id: 'U1', login: 'ada', createdAt: '2020-01-01T00:00:00Z' },
  { type: 'room', id: 'R1', name: 'work' },
  { type: 'end' },
]
writeFileSync(archive, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))

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
