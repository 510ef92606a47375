import { randomUUID } from 'node:crypto'
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createTransport } from 'nodemailer'
import { asMessage, type Transport } from './mail.ts'

/** Writes mails to a folder, one `.eml` file each; file names sort by time and reveal nothing. */
export function mailFolder(folder: string, from = 'parley@localhost'): Transport {
  const composer = createTransport({ streamTransport: true, buffer: true, disableFileAccess: true })
  return {
    async send(mail, serverName) {
      const { message } = await composer.sendMail(asMessage(mail, from, serverName))
      await mkdir(folder, { recursive: true, mode: 0o700 })
      const name = `${new Date().toISOString().replace(/[-:]/g, '')}-${randomUUID().slice(0, 8)}`
      const unfinished = join(folder, `.${name}.new`)
      await writeFile(unfinished, message, { mode: 0o600 })
      await rename(unfinished, join(folder, `${name}.eml`))
    },
    async [Symbol.asyncDispose]() {
      composer.close()
    },
  }
}
