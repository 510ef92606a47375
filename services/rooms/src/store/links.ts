import { and, eq } from 'drizzle-orm'
import type { Reader, Tx } from '@parley/postgres'
import { linkNotFound } from '../errors.ts'
import { appendItem } from './layout.ts'
import type { LinkRow } from './rows.ts'
import { layoutItems, sidebarLinks } from './schema.ts'

export type PlacedLink = { link: LinkRow; groupId: string }

export async function getLink(reader: Reader, linkId: string): Promise<PlacedLink> {
  const [found] = await reader
    .select({ link: sidebarLinks, groupId: layoutItems.groupId })
    .from(sidebarLinks)
    .innerJoin(layoutItems, and(eq(layoutItems.kind, 'link'), eq(layoutItems.itemId, sidebarLinks.id)))
    .where(eq(sidebarLinks.id, linkId))
  if (!found) throw linkNotFound()
  return found
}

/** The layout must be locked. */
export async function appendLink(tx: Tx, link: LinkRow, groupId: string): Promise<void> {
  await tx.insert(sidebarLinks).values(link)
  await appendItem(tx, groupId, 'link', link.id)
}

export async function updateLink(tx: Tx, { id, label, url }: LinkRow): Promise<void> {
  await tx.update(sidebarLinks).set({ label, url }).where(eq(sidebarLinks.id, id))
}

export async function deleteLink(tx: Tx, linkId: string): Promise<void> {
  await tx.delete(layoutItems).where(eq(layoutItems.itemId, linkId))
  await tx.delete(sidebarLinks).where(eq(sidebarLinks.id, linkId))
}
