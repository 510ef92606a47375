import type { Reader } from '@parley/postgres'
import { asc, inArray } from 'drizzle-orm'
import { roles } from './schema.ts'

export type RoleRow = typeof roles.$inferSelect

export async function listRoles(db: Reader): Promise<RoleRow[]> {
  return db.select().from(roles).orderBy(asc(roles.position), asc(roles.name))
}

export async function findRoles(db: Reader, names: string[]): Promise<RoleRow[]> {
  return db.select().from(roles).where(inArray(roles.name, names))
}
