import { and, eq, inArray } from 'drizzle-orm'
import type { Reader, Tx } from '@parley/postgres'
import { assetVariants } from './schema.ts'

export type VariantRow = typeof assetVariants.$inferSelect

export async function insertVariants(tx: Tx, variants: readonly VariantRow[]): Promise<void> {
  if (variants.length > 0) await tx.insert(assetVariants).values([...variants])
}

export async function findVariant(db: Reader, assetId: string, name: string): Promise<VariantRow | undefined> {
  const [row] = await db
    .select()
    .from(assetVariants)
    .where(and(eq(assetVariants.assetId, assetId), eq(assetVariants.name, name)))
  return row
}

export function findVariantKeys(db: Reader, assetIds: readonly string[]): Promise<{ assetId: string; key: string }[]> {
  return db
    .select({ assetId: assetVariants.assetId, key: assetVariants.key })
    .from(assetVariants)
    .where(inArray(assetVariants.assetId, [...assetIds]))
}

export async function findUnknownVariants(db: Reader, keys: readonly string[]): Promise<string[]> {
  const rows = await db
    .select({ key: assetVariants.key })
    .from(assetVariants)
    .where(inArray(assetVariants.key, [...keys]))
  const known = new Set(rows.map(({ key }) => key))
  return keys.filter((key) => !known.has(key))
}
