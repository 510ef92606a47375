import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { eventually } from '../testing/eventually.ts'
import { watchTree } from '../watch-tree.mjs'

test('a folder made later is watched, except dist', async () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'parley-watch-')))
  const edited = new Set()
  const watched = watchTree(root, (file) => edited.add(file))
  const edit = async (file) => {
    writeFileSync(join(root, file), '')
    await eventually(() => edited.has(join(root, file)))
  }
  try {
    for (const folder of ['src', 'dist']) mkdirSync(join(root, folder))
    await edit('a.ts')
    await edit('src/b.ts')
    writeFileSync(join(root, 'dist/main.js'), '')
    await edit('c.ts')
    expect([...edited]).toEqual(['a.ts', 'src/b.ts', 'c.ts'].map((file) => join(root, file)))
  } finally {
    watched[Symbol.dispose]()
    rmSync(root, { recursive: true })
  }
})
