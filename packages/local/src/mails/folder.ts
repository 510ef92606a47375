import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Message, readMessage } from './message.ts'

const namePattern = /^[0-9A-Za-z][0-9A-Za-z.-]{0,100}\.eml$/
const maxShown = 200

/** Newest first: file names sort by time. */
export async function listMails(folder: string): Promise<{ name: string; message: Message }[]> {
  const names = (await readdir(folder).catch(() => [])).filter((name) => namePattern.test(name)).sort()
  const newest = names.reverse().slice(0, maxShown)
  const mails = await Promise.all(newest.map(async (name) => ({ name, message: await findMail(folder, name) })))
  return mails.flatMap(({ name, message }) => (message ? [{ name, message }] : []))
}

export async function findMail(folder: string, name: string): Promise<Message | undefined> {
  if (!namePattern.test(name)) return undefined
  const raw = await readFile(join(folder, name), 'utf8').catch(() => undefined)
  return raw === undefined ? undefined : readMessage(raw)
}
