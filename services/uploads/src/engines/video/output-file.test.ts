import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { findOutputFile, readOutputFile } from './output-file.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-output-'))
  await writeFile(join(folder, '480p.mp4'), 'a video')
  await writeFile(join(folder, 'empty.mp4'), '')
  await symlink('/proc/self/environ', join(folder, 'link.mp4'))
})
afterAll(() => rm(folder, { recursive: true }))

test('an existing file is found and read', async () => {
  const output = await findOutputFile(folder, '480p.mp4')
  expect(output).toEqual({ file: '480p.mp4', size: 7 })
  if (output) expect(await text(readOutputFile(folder, output))).toBe('a video')
})

test.each(['nothing.mp4', 'empty.mp4', 'link.mp4', '.'])('%s is not found', async (file) => {
  expect(await findOutputFile(folder, file)).toBeUndefined()
})

test('a link that replaced a found file is not followed', async () => {
  await expect(text(readOutputFile(folder, { file: 'link.mp4', size: 7 }))).rejects.toMatchObject({ code: 'ELOOP' })
})
