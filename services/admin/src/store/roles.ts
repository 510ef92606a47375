import type { Reader, Tx } from '@parley/postgres'
import { asc, eq, inArray } from 'drizzle-orm'
import { roles } from './schema.ts'

export type RoleRow = typeof roles.$inferSelect

export async function listRoles(db: Reader): Promise<RoleRow[]> {
  return db.select().from(roles).orderBy(asc(roles.position), asc(roles.name))
}

export async function findRoles(db: Reader, names: string[]): Promise<RoleRow[]> {
  return db.select().from(roles).where(inArray(roles.name, names))
}

export async function insertRole(tx: Tx, role: RoleRow): Promise<void> {
  await tx.insert(roles).values(role)
}

export async function updateRole(tx: Tx, id: string, change: Partial<RoleRow>): Promise<void> {
  await tx.update(roles).set(change).where(eq(roles.id, id))
}

export async function deleteRole(tx: Tx, id: string): Promise<void> {
  await tx.delete(roles).where(eq(roles.id, id))
}
