export type BrowserAnswer = {
  status: number
  location: string | null
  headers: Headers
  text: string
  cookies: string[]
}

/** A browser without scripts: it keeps cookies and submits forms of a page, but does not follow redirects. */
export class Browser {
  readonly base: string
  /** Cookies by name, as if everything were one host. */
  readonly jar: Map<string, string>
  page: BrowserAnswer | undefined

  constructor(base: string, jar: Map<string, string> = new Map()) {
    this.base = base
    this.jar = jar
  }

  /** A browser with the same cookies that sends its requests to another node of the site. */
  via(base: string): Browser {
    return new Browser(base, this.jar)
  }

  get cookie(): string {
    return [...this.jar].map(([name, value]) => `${name}=${value}`).join('; ')
  }

  get(path: string, headers: Record<string, string> = {}): Promise<BrowserAnswer> {
    return this.send('GET', path, undefined, headers)
  }

  /** Sends a value as JSON, or a text unchanged, with the content type of JSON. */
  postJson(path: string, body: unknown, headers: Record<string, string> = {}): Promise<BrowserAnswer> {
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    return this.send('POST', path, text, { 'content-type': 'application/json', ...headers })
  }

  postForm(path: string, fields: Record<string, string>, headers: Record<string, string> = {}): Promise<BrowserAnswer> {
    const type = { 'content-type': 'application/x-www-form-urlencoded' }
    return this.send('POST', path, new URLSearchParams(fields).toString(), { ...type, ...headers })
  }

  /** Submits the form of the current page that has this action: its hidden fields and these inputs. */
  submit(action: string, inputs: Record<string, string>, headers: Record<string, string> = {}): Promise<BrowserAnswer> {
    return this.postForm(action, { ...hiddenFields(this.page?.text ?? '', action), ...inputs }, headers)
  }

  /** The CSRF header that scripts of the site send. */
  get csrf(): Record<string, string> {
    return { 'x-csrf-token': this.jar.get('parley_csrf') ?? '' }
  }

  async send(
    method: string,
    path: string,
    body?: string,
    headers: Record<string, string> = {},
  ): Promise<BrowserAnswer> {
    const sent = { ...(this.jar.size > 0 && { cookie: this.cookie }), ...headers }
    const response = await fetch(this.base + path, { method, headers: sent, redirect: 'manual', body: body ?? null })
    const cookies = response.headers.getSetCookie()
    for (const cookie of cookies) this.#storeCookie(cookie)
    const { status, headers: received } = response
    this.page = { status, headers: received, cookies, location: received.get('location'), text: await response.text() }
    return this.page
  }

  #storeCookie(cookie: string): void {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
    if (/;\s*max-age=0/i.test(cookie)) this.jar.delete(name)
    else this.jar.set(name, value)
  }
}

function hiddenFields(page: string, action: string): Record<string, string> {
  const form = page.split('<form ').find((part) => part.includes(`action="${action}"`))
  if (form === undefined) throw new Error(`the page has no form for ${action}: ${page.slice(0, 2_000)}`)
  const hidden = form.split('</form>')[0]?.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g) ?? []
  return Object.fromEntries([...hidden].map(([, name = '', value = '']) => [name, unescapeHtml(value)]))
}

const unescapeHtml = (text: string): string =>
  text.replace(
    /&(lt|gt|quot|#39|amp);/g,
    (_, name: string) => ({ lt: '<', gt: '>', quot: '"', '#39': "'" })[name] ?? '&',
  )

export const jsonOf = ({ text }: Pick<BrowserAnswer, 'text'>): Record<string, unknown> =>
  JSON.parse(text) as Record<string, unknown>
