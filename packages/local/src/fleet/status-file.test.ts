import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, jest, test } from '@jest/globals'
import { StatusFile } from './status-file.ts'

const folder = mkdtempSync(join(tmpdir(), 'parley-ready-'))
afterAll(() => {
  jest.useRealTimers()
  rmSync(folder, { recursive: true, force: true })
})

test('a failed write of the ready file is retried', () => {
  jest.useFakeTimers()
  const file = join(folder, 'later/ready.json')
  const said: string[] = []
  const readyFile = new StatusFile(file, (line) => said.push(line))
  readyFile.start(() => ({ url: 'http://127.0.0.1:1', ownerLogin: '', services: [] }))
  readyFile.update()
  expect(said).toEqual([expect.stringContaining(`${file} cannot be written: ENOENT`)])
  mkdirSync(join(folder, 'later'))
  jest.advanceTimersByTime(2_000)
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ url: 'http://127.0.0.1:1' })
  readyFile.remove()
})
