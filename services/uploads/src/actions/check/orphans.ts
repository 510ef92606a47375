import type { Reader } from '@parley/postgres'
import { isOwnKey, storageKeys } from '../../engines/storage/index.ts'
import { unknownVariants } from '../../store/asset-variants.ts'
import { unknownAssets } from '../../store/assets.ts'
import { unknownBlobs } from '../../store/blobs.ts'
import { unknownKeys } from '../../store/server-images.ts'
import { unknownChunks } from '../../store/uploads.ts'

/** Finds our keys without a row, per prefix. Only old bytes count: rows are written after bytes. */
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
