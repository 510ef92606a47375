import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, jest, test } from '@jest/globals'
import { Announcement } from './ready-file.ts'

const folder = mkdtempSync(join(tmpdir(), 'parley-ready-'))
afterAll(() => {
  jest.useRealTimers()
  rmSync(folder, { recursive: true, force: true })
})

test('a ready file that cannot be written is written later', () => {
  jest.useFakeTimers()
  const file = join(folder, 'later/ready.json')
  const said: string[] = []
  const announcement = new Announcement(file, (line) => said.push(line))
  announcement.begin(() => ({ url: 'http://127.0.0.1:1', ownerLogin: '', services: [] }))
  announcement.renew()
  expect(said).toEqual([expect.stringContaining(`${file} cannot be written: ENOENT`)])
  mkdirSync(join(folder, 'later'))
  jest.advanceTimersByTime(2_000)
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ url: 'http://127.0.0.1:1' })
  announcement.end()
})
