import { Code, ConnectError } from '@connectrpc/connect'
import { expect, test } from '@jest/globals'
import { StorageFindingKind, UploadsOperatorService } from '@parley/contracts/internal'
import { useFakeServices } from './_fake-services.ts'
import { runParley } from './_parley.ts'

const requested: unknown[] = []
let findings: { kind: StorageFindingKind; key: string; size: bigint; mended: boolean }[] = []
let refusal: ConnectError | undefined

const { dataDir } = useFakeServices({
  uploads: (router) => {
    router.service(UploadsOperatorService, {
      adoptStorage() {
        requested.push('adopt')
        return {}
      },
      checkStorage({ cursor, repair, acceptLoss }) {
        requested.push({ cursor, repair, acceptLoss })
        if (refusal) throw refusal
        return cursor === '' ? { nextCursor: 'second:', checked: 500 } : { checked: 7, findings }
      },
    })
  },
})

const parley = (...args: string[]) => runParley(args, { dir: dataDir })
const orphan = { kind: StorageFindingKind.ORPHAN, key: 'files/Alone', size: 5n }

test('storage check exits with code 0 if every part of the storage was checked without findings', async () => {
  findings = []
  const { code, out } = await parley('storage', 'check')
  expect([code, out]).toEqual([0, 'objects and rows checked: 507, findings: 0, repaired: 0\n'])
  expect(requested.splice(0)).toEqual([
    { cursor: '', repair: false, acceptLoss: false },
    { cursor: 'second:', repair: false, acceptLoss: false },
  ])
})

test('storage check exits with code 1 if findings remain', async () => {
  findings = [{ ...orphan, mended: false }]
  const { code, out, err } = await parley('storage', 'check')
  expect(code).toBe(1)
  expect(out).toContain('orphan  files/Alone  5 bytes\n')
  expect(err).toContain('--repair')
})

test('storage check exits with code 0 if all findings were repaired, and prints JSON on request', async () => {
  requested.length = 0
  findings = [{ ...orphan, mended: true }]
  const { code, out } = await parley('storage', 'check', '--repair', '--json')
  expect(code).toBe(0)
  expect(requested[0]).toEqual({ cursor: '', repair: true, acceptLoss: false })
  const found = { kind: 'orphan', key: 'files/Alone', size: 5, storedAt: '', mended: true }
  expect(JSON.parse(out)).toEqual({ checked: 507, found: 1, mended: 1, kinds: { orphan: 1 }, findings: [found] })
})

test('storage adopt assigns the storage to the database', async () => {
  requested.length = 0
  const { code, out } = await parley('storage', 'adopt')
  expect([code, out]).toEqual([0, expect.stringContaining('belongs to this database now')])
  expect(requested).toEqual(['adopt'])
})

test('a refused repair explains why, with code 1; --accept-loss needs --repair', async () => {
  requested.length = 0
  findings = []
  refusal = new ConnectError('the storage looks empty', Code.FailedPrecondition)
  const refused = await parley('storage', 'check', '--repair')
  expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('the storage looks empty')])
  refusal = undefined
  expect((await parley('storage', 'check', '--repair', '--accept-loss')).code).toBe(0)
  expect(requested.at(-1)).toEqual({ cursor: 'second:', repair: true, acceptLoss: true })
  expect((await parley('storage', 'check', '--accept-loss')).code).toBe(2)
})
