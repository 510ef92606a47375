import { resolve } from 'node:path'
import { serveMails } from '../mails/serve.ts'
import type { DataDir } from './data-dir.ts'
import type { Opened } from './opened.ts'
import { RememberedPorts } from './remembered-ports.ts'
import type { Secrets } from './secrets.ts'

/** The mail folder and the page that shows it while there is no mail server; both undefined when there is one. */
export async function showMails(
  wanted: string | false | undefined,
  dir: DataDir,
  secrets: Secrets,
  opened: Opened,
): Promise<{ mailFolder: string | undefined; mailUrl: string | undefined }> {
  if (wanted === false) return { mailFolder: undefined, mailUrl: undefined }
  const mailFolder = wanted === undefined ? dir.mail : resolve(wanted)
  const port = await new RememberedPorts(dir.portsFile).get('mails')
  const page = await serveMails(mailFolder, port, secrets.get('mailPage'))
  opened.push(() => page.close())
  return { mailFolder, mailUrl: page.url }
}
