import { retry, type Resources } from '@parley/runtime'
import { reportStorageUnavailable } from '../../metrics.ts'
import { openDiskStorage } from './disk.ts'
import type { AssetStorage } from './settings.ts'
import type { Storage } from './storage.ts'

export async function openStorage(
  settings: AssetStorage,
  opened: Pick<Resources, 'use'>,
  signal: AbortSignal,
): Promise<Storage> {
  if (settings.backend === 'disk') return openDiskStorage(settings.directory)
  // Loaded only if it is used, because the S3 client takes several MiB of memory.
  const { openS3Storage } = await import('./s3.ts')
  const storage = opened.use(openS3Storage(settings))
  const ping = () =>
    storage.ping().catch((error: unknown) => {
      reportStorageUnavailable(settings.bucket, error)
      throw error
    })
  await retry(ping, { signal, initialMs: 200, maxMs: 5_000 })
  return storage
}
