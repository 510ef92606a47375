const hosts = new Set(['youtube.com', 'youtube-nocookie.com'])
const id = /^[\w-]{11}$/

export function youtubeVideoId(url: URL): string | undefined {
  const candidate = candidateIn(url)
  return id.test(candidate) ? candidate : undefined
}

function candidateIn({ hostname, pathname, searchParams }: URL): string {
  const host = hostname.replace(/^(www|m|music)\./, '')
  const [, first = '', second = ''] = pathname.split('/')
  if (host === 'youtu.be') return first
  if (!hosts.has(host)) return ''
  if (first === 'watch') return searchParams.get('v') ?? ''
  return /^(shorts|embed|live|v)$/.test(first) ? second : ''
}
