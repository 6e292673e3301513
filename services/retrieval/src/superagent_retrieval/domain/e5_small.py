"""What multilingual-e5-small's questions of one script share: 384 half floats, as `python -m evals.calibrate` found them."""

from __future__ import annotations

import base64
import struct

_HAN = (
    "9CnPoHanJKYYKsqlPx7kJ1Irf58nJuKOcymroFqp2CX1KI6ooKOQqjMiXiMYqcgozClnKIOnEicHKdupvqhmqDYolKinKuInk6gkqGAoAaiUpr"
    "0iTCiqKoAljCmGpqMoJqgcouWkGygQKN0nFhx8qeGlv6o6qwAqGSrCmogdCyYzKZsmlyixKCWoiqGWpC8p/yRkqI8h8x2pKIGkaSDXqBarLKgn"
    "piAkc6iiKDIpfKjzKNuY4yh0KTekMKiipnKnF6EoJm8qZqBDKgmog5a7q6WoiSgtKmSoDyimp4+oKyhrJzooLaoupTCbX6lKKF2o9yd8qDSl6a"
    "P2qMKoByaEJ4ekTCNTJlAkoxKuJEwleirZqNMj5qEApBymLSbxqA4oNyZOKI8qrqbuKDOpWhykpdoplSh6JlimxKTkp2QoYih5qLmot6qbpvKq"
    "UKnpJv4oWKnkptCfKCYYqFgiuyChKJuipSCsK+co0aMyo7SolahSqrukW6elJAEjZKEmn2MoO6hNpS6lpCOFqnko2yVIJ6ChL6mEJAwieChroQ"
    "iqZyQApzcoFib9qUqpRSkAqCClORkwKCWojCY/JZKgtSDwq/yhSimGJuOmlKZsJWiou6Vlpf6ql6c5rMObCCi+J5CrAaHQp1QguqknKZuoqqUP"
    "JCCeTSmyJ+eqGafuqtOloCfKKA4rkafYJrMlX5eaK64nJiiIHUupZqMYqRWgg6hdJK8pUKhiqRimTCieLDCnHKe+J0woliXzKHYoMqbLpasnGa"
    "cKpVyiRqRsKBGmayVrI9icVSpuqiwlxKROoBokEh17q2oorR65HdokiiiIK0Ulw6bSpwUiWijdF40lAaltp6OoQ6WQpPSpbip/JoColqa9KjEk"
    "IJz0pY2oISimqAyo8agOKRGoNqlTJmwqlaVbKPakiKk/JHilRKgWJ/0cFKy1JPkngqjNJKmkG6idKHQnkKntp4woGyioKGIjlpBsHKgmhaqNKe"
    "Qnk6gFHhOiXabBq/IoFaY5qAgnAiybJsco"
)
_OTHER = (
    "rigqpjaoGahdKCOpFyQPJjwp8BUiKHIixihAqXumBidxKcek6J+qqjMkGZyQqd4oaSaAKFGiphgpKFiqdKnAptMmJKltKMAmzajIp4YqGagipl"
    "YniSb5JgEmJikwpocnx6O4pGCooii2JrQovShnqLmpb6kwqF0nZChKqDUleiFHKUgpuSfMKP+p0KCQqYEoviBwpvoYxyNZJPyo6R0rpwyqqqcf"
    "piQk8qglKWUohaiHKoWmzigjKZOo4aiLqTqowqaJJa8oMKXsKSimGifKqKmnFyXYKMSoBioXqJqnjyhpKpopMai1pWmiF6acJCKnZCmJpNOouq"
    "lUqBanhSTlKMYkViDXJIwhmidkKJ8oDSkhqhmfP56Oovmn0SeepzImKCpDKAosHqZqKe2kdShcpZYp4CY/JdSlPKoVqVYnXChvp72oAqpMpL2o"
    "dKLYJbUo8KdHpZSoTyYYqcMmNJXWKKumOChTKpwnd6bNpA6nt6lKqa+oaahOJMgkiqZcoQQoRKi+psaovyeVqGcoeSj7Jw+h5qRxJewlSiakHA"
    "qokSf4qH8oBSlIqoupeCkhopCjNyCQKM6mRSgVKMifDSZ/rOKowCb9JXGoQaMfKEeomKVJqKuqsKZfp0qmDigeJoanj6huqMEn6qorKPun0aRm"
    "JWSekiH0KBqqH6YIp9Kllyd7JkEqPKinJhkgSp8fLB4nNCcEJ6Co26TwqLSmCar7IxYomaglqaKm9iOkKjSjqaX0KEYmDSgAKlolCKVTpGkolq"
    "gapisbH6hlKcaf1ih+J9sZACkHpn8kcKbIp7ojyCcdqWkltyBtJqchzCUPKQAo46Woph0nFilCnjsmgqiqqKGpzqeYokSpRyeVI2ipHafaJT0g"
    "iBmkp0epPClBp9ShNKTzKWqolKlbJP4lfqhVJhKhOanjJ5KmoqewJi0pG6w0I28niaiNJoah76daJtMl0KiDpkQoRCjPJvopTqNelUgmi6gCKQ"
    "UpMqiiHValt6frpyspMqivqBAlnCoXIdgo"
)


def _numbers(written: str) -> tuple[float, ...]:
    return struct.unpack("<384e", base64.b64decode(written))


HAN, OTHER = _numbers(_HAN), _numbers(_OTHER)
