import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Plugin } from 'vite'

const [toBrotli, toGzip] = [promisify(brotliCompress), promisify(gzip)]

/** Writes compressed copies (`.br`, `.gz`) of text files, if they are smaller. The gateway serves them. */
export function compressFiles(): Plugin {
  let folder = ''
  return {
    name: 'compress-files',
    apply: 'build',
    configResolved: (config) => void (folder = join(config.root, config.build.outDir)),
    async closeBundle() {
      const entries = await readdir(folder, { recursive: true, withFileTypes: true })
      const files = entries.filter(
        (entry) => entry.isFile() && /\.(js|css|html|svg|json|webmanifest)$/.test(entry.name),
      )
      await Promise.all(files.map((file) => compress(join(file.parentPath, file.name))))
    },
  }
}

async function compress(path: string): Promise<void> {
  const bytes = await readFile(path)
  const [br, gz] = await Promise.all([
    toBrotli(bytes, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } }),
    toGzip(bytes, { level: 9 }),
  ])
  if (br.length < bytes.length) await writeFile(`${path}.br`, br)
  if (gz.length < bytes.length) await writeFile(`${path}.gz`, gz)
}
