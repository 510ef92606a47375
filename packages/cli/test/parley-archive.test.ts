import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from '@jest/globals'
import type { ArchiveRecord } from '../src/transfer/archive.ts'
import { openParley } from '../src/transfer/parley/read-export.ts'

const folder = mkdtempSync(join(tmpdir(), 'parley-archive-'))
afterAll(() => rmSync(folder, { recursive: true }))

const header = { type: 'header', format: 'parley-export', version: 1, server: 'Gone' }

async function read(...lines: object[]): Promise<ArchiveRecord[]> {
  const path = join(folder, 'export.jsonl')
  writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  await using archive = await openParley(path)
  const records: ArchiveRecord[] = []
  for await (const record of archive.records()) records.push(record)
  return records
}

test('a room is public only if its line has `private: false`', async () => {
  const rooms = [{ private: false }, { private: 'true' }, {}].map((more) => ({ type: 'room', id: 'R1', ...more }))
  const records = await read(header, ...rooms, { type: 'end' })
  expect(records.map((record) => record.type === 'room' && record.private)).toEqual([false, true, true])
})

test('an invalid time of a room and an invalid link are left out; a message with an invalid time is skipped', async () => {
  const message = { type: 'message', id: 'E1', author: 'U1', createdAt: '2020-01-01T00:00:00Z' }
  const records = await read(
    ...[header, { type: 'room', id: 'R1', createdAt: '-271821-04-21T00:00:00Z' }],
    ...[
      { ...message, createdAt: '+275000-01-01T00:00:00Z' },
      { ...message, preview: { url: 'javascript:alert(1)' } },
    ],
    { type: 'end' },
  )
  expect(records).toMatchObject([
    { type: 'room', createdAt: undefined },
    { type: 'skipped', reason: 'the time is invalid' },
    { type: 'message', preview: undefined },
  ])
})

test('an export that does not name its server is refused', async () => {
  await expect(read({ ...header, server: undefined })).rejects.toMatchObject({ exitCode: 1, code: 'bad_archive' })
})
