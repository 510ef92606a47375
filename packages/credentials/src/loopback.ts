/** Whether a host, as in a URL, is the machine of whoever looks it up. */
export const isLoopbackHost = (hostname: string): boolean => /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(hostname)
