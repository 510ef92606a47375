export type Page = { url: URL; status: number; html: string }

/** Only what a sign-in at a provider needs: cookies, redirects and forms. */
export class Browser {
  readonly #cookies = new Map<string, Map<string, string>>()

  /** Follows redirects until a page is shown or `until` accepts the next URL. */
  async open(address: string | URL, until: (url: URL) => boolean = () => false): Promise<Page> {
    return this.#go(new URL(address), { method: 'GET' }, until)
  }

  async submit(page: Page, values: Record<string, string>, until: (url: URL) => boolean = () => false): Promise<Page> {
    const [, action] = /<form[^>]* action="([^"]+)"/.exec(page.html) ?? []
    if (action === undefined) throw new Error(`no form on ${page.url.href}: ${page.html}`)
    const hidden = page.html.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)
    const body = new URLSearchParams([...hidden].map(([, name = '', value = '']): [string, string] => [name, value]))
    for (const [name, value] of Object.entries(values)) body.set(name, value)
    return this.#go(new URL(action, page.url), { method: 'POST', body }, until)
  }

  async #go(first: URL, request: RequestInit, until: (url: URL) => boolean): Promise<Page> {
    let url = first
    let init = request
    for (let hops = 0; hops < 20; hops++) {
      if (until(url)) return { url, status: 0, html: '' }
      const response = await fetch(url, { ...init, redirect: 'manual', headers: { cookie: this.#cookiesFor(url) } })
      this.#storeCookies(url, response)
      const location = response.headers.get('location')
      if (location === null) return { url, status: response.status, html: await response.text() }
      url = new URL(location, url)
      init = { method: 'GET' }
    }
    throw new Error(`too many redirects, the last one to ${url.href}`)
  }

  #cookiesFor({ host }: URL): string {
    return [...(this.#cookies.get(host) ?? [])].map(([name, value]) => `${name}=${value}`).join('; ')
  }

  #storeCookies({ host }: URL, response: Response): void {
    const jar = this.#cookies.get(host) ?? new Map<string, string>()
    this.#cookies.set(host, jar)
    for (const cookie of response.headers.getSetCookie()) {
      const [pair = ''] = cookie.split(';', 1)
      const at = pair.indexOf('=')
      if (/;\s*(max-age=0|expires=Thu, 01 Jan 1970)/i.test(cookie)) jar.delete(pair.slice(0, at))
      else jar.set(pair.slice(0, at), pair.slice(at + 1))
    }
  }
}
