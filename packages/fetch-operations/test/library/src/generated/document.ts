// Generated from the contract by fetch-operations. Do not edit.
import type { ContractDocument } from "fetch-operations/testing";

/** The contract. */
export const document: ContractDocument = {
  "openapi": "3.1.1",
  "info": {
    "title": "Library",
    "version": "2.1.0"
  },
  "servers": [
    {
      "url": "https://{region}.library.example:{port}/v2/",
      "description": "Production.\nChoose the nearest region.",
      "variables": {
        "region": {
          "default": "eu",
          "enum": [
            "eu",
            "us"
          ]
        },
        "port": {
          "default": "443"
        }
      }
    },
    {
      "url": "http://127.0.0.1:8080/v2//"
    }
  ],
  "security": [
    {
      "token": []
    },
    {
      "key": [],
      "session": []
    }
  ],
  "paths": {
    "/books": {
      "get": {
        "operationId": "list-books",
        "summary": "List books\nby title",
        "description": "Returns a page.\n\nThe header `Link` leads to the next page.\n",
        "parameters": [
          {
            "name": "cursor",
            "in": "query",
            "schema": {
              "type": "string"
            }
          },
          {
            "name": "tags",
            "in": "query",
            "explode": false,
            "schema": {
              "type": "array",
              "items": {
                "type": "string"
              }
            }
          },
          {
            "name": "filter",
            "in": "query",
            "style": "deepObject",
            "schema": {
              "type": "object"
            }
          },
          {
            "name": "Accept",
            "in": "header",
            "schema": {
              "type": "string"
            }
          },
          {
            "name": "X-Fields",
            "in": "header",
            "schema": {
              "type": "object"
            }
          },
          {
            "name": "X-Shelf",
            "in": "header",
            "schema": {
              "type": "string"
            }
          },
          {
            "name": "theme",
            "in": "cookie",
            "schema": {
              "type": "string"
            }
          }
        ],
        "responses": {
          "200": {
            "description": "Books.",
            "headers": {
              "Link": {
                "schema": {
                  "type": "string"
                }
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "type": "array",
                  "items": {
                    "$ref": "#/components/schemas/Book"
                  }
                }
              }
            }
          },
          "304": {
            "description": "Not modified."
          },
          "4XX": {
            "description": "Rejected.",
            "content": {
              "text/plain": {
                "schema": {
                  "type": "string"
                }
              }
            }
          },
          "default": {
            "$ref": "#/components/responses/Problem"
          }
        }
      },
      "post": {
        "operationId": "addBook",
        "security": [
          {},
          {
            "token": []
          }
        ],
        "parameters": [
          {
            "name": "Request-Key",
            "in": "header",
            "schema": {
              "type": "string"
            }
          }
        ],
        "requestBody": {
          "required": true,
          "content": {
            "application/json": {
              "schema": {
                "type": "object",
                "additionalProperties": false,
                "required": [
                  "title"
                ],
                "properties": {
                  "title": {
                    "type": "string"
                  },
                  "due": {
                    "type": "string",
                    "format": "date-time"
                  }
                }
              }
            }
          }
        },
        "responses": {
          "201": {
            "description": "The book.",
            "headers": {
              "Location": {
                "required": true,
                "schema": {
                  "type": "string"
                },
                "example": "/v2/books/1"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/Book"
                },
                "example": {
                  "id": 1,
                  "title": "Emma"
                }
              }
            }
          },
          "409": {
            "description": "It exists.",
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/Problem"
                },
                "examples": {
                  "taken": {
                    "value": {
                      "reason": "title_taken",
                      "text": "The title is taken."
                    },
                    "x-note": {
                      "reason": "no_code",
                      "text": ""
                    }
                  },
                  "incomplete": {
                    "value": {
                      "reason": "no_code"
                    }
                  },
                  "odd": {
                    "value": {
                      "reason": 5,
                      "text": ""
                    }
                  }
                }
              }
            }
          },
          "default": {
            "$ref": "#/components/responses/Problem"
          }
        }
      }
    },
    "/books/{id}": {
      "parameters": [
        {
          "name": "id",
          "in": "path",
          "required": true,
          "schema": {
            "type": "integer",
            "format": "int64"
          }
        }
      ],
      "get": {
        "operationId": "getBook",
        "deprecated": true,
        "x-deprecated-at": "2026-11-21",
        "x-sunset": "2030-12-05",
        "x-successor": "list-books",
        "responses": {
          "200": {
            "description": "The book.",
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/Book"
                },
                "example": {
                  "id": 1,
                  "title": "Emma"
                }
              }
            }
          },
          "302": {
            "description": "It moved."
          },
          "404": {
            "description": "There is no such book."
          }
        }
      },
      "head": {
        "operationId": "peekBook",
        "responses": {
          "200": {
            "description": "It exists.",
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/Book"
                }
              }
            }
          }
        }
      },
      "put": {
        "operationId": "replaceBook",
        "x-retryable": true,
        "servers": [
          {
            "url": "https://{zone}.files.example/{rest}",
            "variables": {
              "zone": {
                "default": "west"
              }
            }
          }
        ],
        "parameters": [
          {
            "name": "id",
            "in": "query",
            "required": true,
            "schema": {
              "type": "string"
            }
          },
          {
            "name": "shelf",
            "in": "query",
            "schema": {
              "type": "string"
            }
          },
          {
            "name": "shelf",
            "in": "header",
            "schema": {
              "type": "string"
            }
          }
        ],
        "requestBody": {
          "content": {
            "application/json": {
              "schema": {
                "$ref": "#/components/schemas/Book"
              }
            }
          }
        },
        "responses": {
          "202": {
            "description": "Accepted."
          },
          "204": {
            "description": "Replaced."
          },
          "500": {
            "description": "Failed."
          }
        }
      },
      "delete": {
        "operationId": "delete",
        "security": [],
        "responses": {
          "204": {
            "description": "Deleted."
          },
          "400": {
            "description": "Invalid."
          }
        }
      }
    },
    "/books/{id}/cover": {
      "servers": [
        {
          "url": "/files"
        }
      ],
      "get": {
        "parameters": [
          {
            "name": "id",
            "in": "path",
            "required": true,
            "style": "label",
            "schema": {
              "type": "integer"
            }
          }
        ],
        "responses": {
          "200": {
            "description": "The cover.",
            "content": {
              "image/png": {},
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/Book"
                }
              },
              "text/csv": {}
            }
          }
        }
      },
      "put": {
        "operationId": "putCover",
        "deprecated": true,
        "parameters": [
          {
            "name": "id",
            "in": "path",
            "required": true,
            "schema": {
              "type": "integer"
            }
          }
        ],
        "requestBody": {
          "required": true,
          "content": {
            "image/*": {}
          }
        },
        "responses": {
          "2XX": {
            "description": "Stored."
          },
          "5xx": {
            "description": "Failed."
          }
        }
      },
      "post": {
        "operationId": "addCovers",
        "parameters": [
          {
            "name": "id",
            "in": "path",
            "required": true,
            "schema": {
              "type": "integer"
            }
          }
        ],
        "requestBody": {
          "required": true,
          "content": {
            "multipart/form-data": {
              "schema": {
                "type": "object",
                "properties": {
                  "files": {
                    "type": "array",
                    "items": {
                      "type": "string",
                      "format": "binary"
                    }
                  },
                  "title": {
                    "type": "string"
                  }
                }
              },
              "encoding": {
                "files": {
                  "contentType": "image/png"
                },
                "title": {
                  "style": "form"
                }
              }
            }
          }
        },
        "responses": {
          "default": {
            "description": "Stored."
          }
        }
      }
    },
    "/search": {
      "post": {
        "operationId": "search",
        "parameters": [
          {
            "name": "limit",
            "in": "query",
            "schema": {
              "type": "integer"
            }
          }
        ],
        "requestBody": {
          "content": {
            "text/plain": {},
            "application/x-www-form-urlencoded": {
              "schema": {
                "type": "object"
              },
              "encoding": {
                "tags": {
                  "explode": false
                },
                "size": {
                  "style": "deepObject"
                },
                "owner": {
                  "contentType": "application/json"
                },
                "note": {
                  "allowReserved": true
                }
              }
            },
            "application/vnd.library+json": {
              "schema": {
                "type": "object"
              }
            }
          }
        },
        "responses": {
          "200": {
            "description": "Books.",
            "content": {
              "*/*": {}
            }
          }
        }
      }
    },
    "/loans": {
      "get": {
        "operationId": "listLoans",
        "parameters": [
          {
            "name": "offset",
            "in": "query",
            "schema": {
              "type": "integer"
            }
          },
          {
            "name": "limit",
            "in": "query",
            "schema": {
              "type": "integer"
            }
          }
        ],
        "responses": {
          "200": {
            "description": "Loans.",
            "content": {
              "application/json": {
                "schema": {
                  "type": "object",
                  "properties": {
                    "a/b~": {
                      "type": "object",
                      "properties": {
                        "items": {
                          "type": "array",
                          "items": {
                            "$ref": "#/components/schemas/Loan"
                          }
                        }
                      }
                    }
                  }
                }
              }
            }
          }
        }
      },
      "post": {
        "operationId": "lend",
        "requestBody": {
          "required": true,
          "content": {
            "application/json": {
              "schema": {
                "type": "object",
                "additionalProperties": false,
                "properties": {
                  "book": {
                    "type": "integer"
                  }
                }
              }
            }
          }
        },
        "responses": {
          "200": {
            "description": "The loan.",
            "content": {
              "application/json": {
                "schema": {
                  "oneOf": [
                    {
                      "$ref": "#/components/schemas/Loan"
                    },
                    {
                      "type": "null"
                    }
                  ]
                }
              }
            }
          }
        }
      }
    },
    "/authors": {
      "get": {
        "operationId": "listAuthors",
        "parameters": [
          {
            "name": "page",
            "in": "query",
            "schema": {
              "type": "integer"
            }
          }
        ],
        "responses": {
          "200": {
            "description": "Authors.",
            "content": {
              "application/json": {
                "schema": {
                  "type": "array",
                  "items": {
                    "type": "string"
                  }
                }
              }
            }
          }
        }
      },
      "post": {
        "operationId": "refreshAuthors",
        "requestBody": {
          "required": true,
          "content": {
            "application/json": {
              "schema": {
                "type": "object",
                "additionalProperties": false
              }
            }
          }
        },
        "responses": {
          "204": {
            "description": "Refreshed."
          }
        }
      }
    },
    "/events": {
      "get": {
        "operationId": "watch",
        "responses": {
          "200": {
            "description": "Texts.",
            "content": {
              "text/event-stream": {
                "schema": {
                  "type": "string"
                }
              }
            }
          }
        }
      },
      "post": {
        "operationId": "follow",
        "requestBody": {
          "required": true,
          "content": {
            "text/plain": {},
            "image/png": {}
          }
        },
        "responses": {
          "200": {
            "description": "Loans.",
            "content": {
              "text/event-stream": {
                "schema": {
                  "$ref": "#/components/schemas/Loan"
                }
              }
            }
          }
        }
      }
    },
    "/lines": {
      "get": {
        "operationId": "readLines",
        "responses": {
          "200": {
            "description": "Loans.",
            "content": {
              "application/jsonl": {
                "schema": {
                  "$ref": "#/components/schemas/Loan"
                }
              }
            }
          }
        }
      },
      "post": {
        "operationId": "internal",
        "responses": {
          "200": {
            "description": "Left out."
          }
        }
      }
    }
  },
  "components": {
    "schemas": {
      "Book": {
        "type": "object",
        "required": [
          "id",
          "title"
        ],
        "properties": {
          "id": {
            "type": "integer",
            "format": "int64"
          },
          "title": {
            "type": "string"
          },
          "due": {
            "type": "string",
            "format": "date-time"
          },
          "sequel": {
            "$ref": "#/components/schemas/Book"
          },
          "shelf": {
            "$ref": "#/components/schemas/class"
          }
        }
      },
      "Loan": {
        "type": "object",
        "required": [
          "book"
        ],
        "properties": {
          "book": {
            "$ref": "#/components/schemas/Book"
          }
        }
      },
      "Problem": {
        "type": "object",
        "required": [
          "reason",
          "text"
        ],
        "properties": {
          "reason": {
            "type": "string",
            "enum": [
              "not_found",
              "busy",
              "rejected",
              "title_taken"
            ]
          },
          "text": {
            "type": "string"
          }
        }
      },
      "Data": {
        "type": "string"
      },
      "LibraryError": {
        "type": "string"
      },
      "ListBooksInput": {
        "type": "string"
      },
      "class": {
        "type": "string"
      },
      "any": {
        "type": "string"
      },
      "shelf-mark": {
        "type": "string"
      },
      "$mark_1": {
        "type": "string"
      }
    },
    "responses": {
      "Problem": {
        "description": "The request failed.",
        "content": {
          "application/json": {
            "schema": {
              "$ref": "#/components/schemas/Problem"
            },
            "example": {
              "reason": "rejected",
              "text": "The request was rejected."
            }
          }
        }
      }
    },
    "securitySchemes": {
      "token": {
        "type": "oauth2",
        "flows": {}
      },
      "user": {
        "type": "http",
        "scheme": "BASIC"
      },
      "key": {
        "type": "apiKey",
        "in": "header",
        "name": "X-Key"
      },
      "session": {
        "type": "apiKey",
        "in": "cookie",
        "name": "sid"
      },
      "certificate": {
        "type": "mutualTLS"
      },
      "login": {
        "type": "openIdConnect",
        "openIdConnectUrl": "https://login.example"
      },
      "digest": {
        "type": "http",
        "scheme": "digest"
      }
    }
  }
};
