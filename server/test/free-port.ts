export { freePort } from "../src/store/samples/testing/free-port.js";
