"""Uses a client made by openapi-python-client; prints what it met as JSON."""

import json
import os
import re

from petstore_client import AuthenticatedClient
from petstore_client.api.pets import create_pet, get_pet, list_pets
from petstore_client.models import NewPet, PetStatus
from petstore_client.types import UNSET


def client(key):
    return AuthenticatedClient(base_url=os.environ["BASE_URL"], token=key)


def refusal(response):
    return [response.status_code, response.parsed.code if response.parsed else None]


pets = client(os.environ["API_KEY"])
met = {}

for name, status in [("Rex", PetStatus.AVAILABLE), ("Mia", PetStatus.SOLD), ("Zoë 🐈", PetStatus.SOLD)]:
    added = create_pet.sync(client=pets, body=NewPet(name=name, category_id=1, status=status))
body = NewPet(name="Tim", category_id=2)
again = [create_pet.sync_detailed(client=pets, body=body, idempotency_key="one-key") for _ in range(2)]
met["created once"] = again[0].parsed == again[1].parsed
met["replayed"] = again[1].headers.get("Idempotency-Replayed")
met["request id"] = again[0].headers.get("X-Request-Id") is not None
met["sold"] = [pet.name for pet in list_pets.sync(client=pets, status=PetStatus.SOLD)]

names, cursor = [], UNSET
while True:
    page = list_pets.sync_detailed(client=pets, limit=2, cursor=cursor)
    names += [pet.name for pet in page.parsed]
    following = re.search(r'[?&]cursor=([^&>]+)[^>]*>; rel="next"', page.headers.get("Link", ""))
    if following is None:
        break
    cursor = following[1]
met["all"] = names

unchanged = list_pets.sync_detailed(client=pets, limit=2, cursor=cursor, if_none_match=page.headers["ETag"])
met["304"] = refusal(unchanged)
met["400"] = refusal(list_pets.sync_detailed(client=pets, cursor="abc"))
met["401"] = refusal(list_pets.sync_detailed(client=client("wrong")))
met["404"] = refusal(get_pet.sync_detailed(4711, client=pets))
print(json.dumps(met))
