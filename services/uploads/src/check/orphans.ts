import type { Reader } from '@parley/postgres'
import { storageKeys } from '../storage/storage.ts'
import { unknownVariants } from '../store/asset-variants.ts'
import { unknownAssets } from '../store/assets.ts'
import { unknownBlobs } from '../store/blobs.ts'
import { unknownKeys } from '../store/server-images.ts'
import { unknownChunks } from '../store/uploads.ts'

/** Of keys below each prefix, those of which no row speaks. Only of old ones it means something: rows come after bytes. */
export function orphanFinders(db: Reader): Record<string, (keys: string[]) => Promise<string[]>> {
  const idIn = (prefix: string) => (key: string) => key.slice(prefix.length + 1)
  const unknownAmong = async (prefix: string, keys: string[], find: (ids: string[]) => Promise<string[]>) =>
    (await find(keys.map(idIn(prefix)))).map((id) => `${prefix}/${id}`)
  return {
    [storageKeys.blobs]: (keys) => unknownAmong(storageKeys.blobs, keys, (ids) => unknownBlobs(db, ids)),
    [storageKeys.chunks]: (keys) => unknownChunks(db, keys),
    [storageKeys.assets]: (keys) => unknownAmong(storageKeys.assets, keys, (ids) => unknownAssets(db, ids)),
    [storageKeys.variants]: (keys) => unknownAmong(storageKeys.variants, keys, (ids) => unknownVariants(db, ids)),
    [storageKeys.serverImages]: (keys) => unknownAmong(storageKeys.serverImages, keys, (ids) => unknownKeys(db, ids)),
  }
}
