import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Context } from '../../context.ts'
import { storageMismatch } from '../../errors.ts'
import { countRefusedDeletions } from '../../metrics.ts'
import { storageKeys } from '../../engines/storage/index.ts'
import { addMark, getIdentity, replaceIdentity } from '../../store/storage-identity.ts'

type CheckContext = Pick<Context, 'db' | 'storage'>
type Identity = { storageId: string; mark: string }

/**
 * On a new server, each process adds a mark to the database before it writes the identity object. If that object is
 * missing although the database has more marks than this, the server is not new and the storage has lost the object.
 */
const maxFirstMarks = 10
const [firstMarkRetries, firstMarkPauseMs] = [10, 200]

/** A mark that no database has. A server that finds it deletes nothing in the storage. */
const contested = 'contested'

/**
 * `missing`: the database has marks, but the storage has no identity object. `foreign`: that object was last written by
 * another database, such as a copy of this one, or by this one before a restore, or it has since become contested.
 */
export type Belonging = 'own' | 'missing' | 'foreign'

/**
 * If another state of the same database wrote the identity object, it is replaced by a contested one; then no server
 * deletes anything in the storage until an operator decides.
 */
export async function compareIdentity(ctx: CheckContext): Promise<Belonging> {
  for (let left = firstMarkRetries; ; left -= 1) {
    const belonging = await compareOnce(ctx)
    if (belonging !== 'about to be written') return belonging
    if (left === 0) return 'missing'
    await sleep(firstMarkPauseMs)
  }
}

async function compareOnce(ctx: CheckContext): Promise<Belonging | 'about to be written'> {
  // Reads the storage first, because a mark is written to the database before the storage.
  const found = await readIdentity(ctx)
  const { storageId, marks } = await getIdentity(ctx.db)
  if (!found && marks.length > 0) return marks.length > maxFirstMarks ? 'missing' : 'about to be written'
  if (found && found.storageId !== storageId) return 'foreign'
  if (found && marks.length > 0 && !marks.includes(found.mark)) {
    if (found.mark !== contested) await writeIdentity(ctx, { storageId, mark: contested })
    return 'foreign'
  }
  return 'own'
}

export async function assertStorageIsOwn(ctx: CheckContext): Promise<void> {
  const belonging = await compareIdentity(ctx)
  if (belonging !== 'own') throw storageMismatch(belonging)
}

export async function assertMayDelete(ctx: CheckContext): Promise<void> {
  const belonging = await compareIdentity(ctx)
  if (belonging === 'own') return
  countRefusedDeletions(belonging)
  throw storageMismatch(belonging)
}

/** Call this only for our own storage. Afterwards it is foreign to earlier states of the database, such as a backup. */
export async function renewIdentity(ctx: CheckContext): Promise<void> {
  const { storageId } = await getIdentity(ctx.db)
  const mark = randomUUID()
  await addMark(ctx.db, mark)
  await writeIdentity(ctx, { storageId, mark })
}

export async function adoptStorage(ctx: CheckContext): Promise<void> {
  const [storageId, mark] = [randomUUID(), randomUUID()]
  await replaceIdentity(ctx.db, { storageId, marks: [mark] })
  await writeIdentity(ctx, { storageId, mark })
}

async function readIdentity({ storage }: CheckContext): Promise<Identity | undefined> {
  const stored = await storage.get(storageKeys.identity)
  return stored && parseIdentity(await text(stored.content))
}

/** Content that no release has written counts as the identity of another database. */
function parseIdentity(content: string): Identity {
  try {
    const { storageId, mark } = JSON.parse(content) as Partial<Identity>
    return { storageId: storageId ?? '', mark: mark ?? '' }
  } catch {
    return { storageId: '', mark: '' }
  }
}

const writeIdentity = ({ storage }: CheckContext, identity: Identity) =>
  storage.put(storageKeys.identity, Readable.from([Buffer.from(JSON.stringify(identity))]))
