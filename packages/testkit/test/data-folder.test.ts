import { randomUUID } from 'node:crypto'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { dataFolders, newDataFolder } from '@parley/testkit'

test('folders are found by their prefix, in memory and on disk', () => {
  const prefix = `parley-${randomUUID()}-`
  expect(dataFolders(prefix)).toEqual([])
  // An earlier run may have used the disk because there was too little free memory.
  const made = [newDataFolder(prefix), mkdtempSync(join(tmpdir(), prefix))]
  try {
    expect(made.every(existsSync)).toBe(true)
    expect(dataFolders(prefix).sort()).toEqual(made.sort())
  } finally {
    for (const folder of made) rmSync(folder, { recursive: true })
  }
})
