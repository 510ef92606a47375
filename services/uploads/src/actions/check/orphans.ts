import type { Reader } from '@parley/postgres'
import { isOwnKey, storageKeys } from '../../engines/storage/index.ts'
import { unknownVariants } from '../../store/asset-variants.ts'
import { unknownAssets } from '../../store/assets.ts'
import { unknownBlobs } from '../../store/blobs.ts'
import { unknownKeys } from '../../store/server-images.ts'
import { unknownChunks } from '../../store/uploads.ts'

/** Of our keys below each prefix, those of which no row speaks. Only of old ones it means something: rows come after bytes. */
export function orphanFinders(db: Reader): Record<string, (keys: string[]) => Promise<string[]>> {
  const finder = (prefix: string, find: (ids: string[]) => Promise<string[]>) => async (keys: string[]) => {
    const own = keys.filter(isOwnKey).map((key) => key.slice(prefix.length + 1))
    return own.length === 0 ? [] : (await find(own)).map((id) => `${prefix}/${id}`)
  }
  const { blobs, chunks, assets, variants, serverImages } = storageKeys
  return {
    [blobs]: finder(blobs, (ids) => unknownBlobs(db, ids)),
    [chunks]: async (keys) => unknownChunks(db, keys.filter(isOwnKey)),
    [assets]: finder(assets, (ids) => unknownAssets(db, ids)),
    [variants]: finder(variants, (ids) => unknownVariants(db, ids)),
    [serverImages]: finder(serverImages, (ids) => unknownKeys(db, ids)),
  }
}
