import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { extname, join, relative, sep } from 'node:path'

/** In order of preference. */
const encodings = [
  { name: 'br', suffix: '.br' },
  { name: 'gzip', suffix: '.gz' },
] as const

export type Encoding = (typeof encodings)[number]['name']

export type ClientFile = {
  body: Buffer
  compressed: ReadonlyMap<Encoding, Buffer>
  contentType: string
  /** The name changes with the content, so caches may keep the file. */
  immutable: boolean
  etag: string
}

const contentTypes = new Map([
  ['.html', 'text/html; charset=utf-8'],
  ['.js', 'text/javascript; charset=utf-8'],
  ['.css', 'text/css; charset=utf-8'],
  ['.svg', 'image/svg+xml'],
  ['.png', 'image/png'],
  ['.woff2', 'font/woff2'],
  ['.webmanifest', 'application/manifest+json'],
])

/** Names of files in this folder contain a hash of their content. */
const hashedFolder = '/app/'

/** By the path at which they are served. Only these files can be served, so no path leads out of the folder. */
export async function readClientFiles(folder: string): Promise<ReadonlyMap<string, ClientFile>> {
  const files = new Map<string, ClientFile>()
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  const known = new Set(paths)
  for (const path of paths) {
    const contentType = contentTypes.get(extname(path))
    if (contentType === undefined) continue
    const servedAt = `/${relative(folder, path).split(sep).join('/')}`
    const body = await readFile(path)
    const compressed = new Map<Encoding, Buffer>()
    for (const { name, suffix } of encodings) {
      if (known.has(path + suffix)) compressed.set(name, await readFile(path + suffix))
    }
    const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`
    files.set(servedAt, { body, compressed, contentType, immutable: servedAt.startsWith(hashedFolder), etag })
  }
  return files
}
