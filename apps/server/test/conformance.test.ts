import { document } from "@petstore/contract/document";
import { testConformance } from "@openapi-operations/api-keys/testing";
import { handlers } from "../src/registrations.ts";
import { startService } from "../testing/service.ts";

testConformance(document, handlers, startService);
