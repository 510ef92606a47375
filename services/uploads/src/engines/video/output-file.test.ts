import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { findOutputFile, readOutputFile } from './output-file.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-made-'))
  await writeFile(join(folder, '480p.mp4'), 'a film')
  await writeFile(join(folder, 'empty.mp4'), '')
  await symlink('/proc/self/environ', join(folder, 'link.mp4'))
})
afterAll(() => rm(folder, { recursive: true }))

test('an existing file is found and read', async () => {
  const made = await findOutputFile(folder, '480p.mp4')
  expect(made).toEqual({ file: '480p.mp4', size: 6 })
  if (made) expect(await text(readOutputFile(folder, made))).toBe('a film')
})

test.each(['nothing.mp4', 'empty.mp4', 'link.mp4', '.'])('%s is not found', async (file) => {
  expect(await findOutputFile(folder, file)).toBeUndefined()
})

test('a link that replaces it later is not followed', async () => {
  await expect(text(readOutputFile(folder, { file: 'link.mp4', size: 6 }))).rejects.toMatchObject({ code: 'ELOOP' })
})
