// Opens connections to a port of this machine and keeps them open: `PORT COUNT`. Each sends a request, and one more every
// half minute, because the service closes what is idle for longer than a minute, which many connections take
// to open on a busy machine. A separate process, because both ends together would need twice as many file descriptors.
// Prints a line when all are open.

import net from 'node:net'

const [port, count] = process.argv.slice(2).map(Number)
const AT_ONCE = 100
const REQUEST = 'GET /healthz HTTP/1.1\r\nhost: a\r\n\r\n'
const AGAIN_MS = 30_000
const CHECK_MS = 250
const sockets = [] // in the order of their last request

const open = () =>
  new Promise((resolve, reject) => {
    const socket = net.connect(port, '127.0.0.1', () => ask(socket))
    socket.once('data', resolve).on('error', reject).resume()
  })

function ask(socket) {
  socket.write(REQUEST)
  sockets.push({ socket, againMs: performance.now() + AGAIN_MS })
}

setInterval(() => {
  for (let asked = 0; asked < AT_ONCE && sockets[0]?.againMs <= performance.now(); asked += 1) {
    ask(sockets.shift().socket)
  }
}, CHECK_MS)
for (let left = count; left > 0; left -= AT_ONCE) {
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, left) }, open))
}
console.log(`${count} connections are open`)
process.stdin.resume().on('end', () => process.exit(0)) // ends with the test
